# kernels/local.mk - the upper half of libsymm: algorithms on mapped memory.

kernel_sources = \
	kernels/float16.c kernels/float16.h \
	kernels/reduction.h \
	kernels/run.c kernels/run.h kernels/run_steps.h \
	kernels/host/fold.c \
	kernels/host/allgather_pull.c \
	kernels/host/allgather_push.c \
	kernels/host/allgather_slot.c \
	kernels/host/allgather_staged.c \
	kernels/host/allreduce_one_shot.c \
	kernels/host/allreduce_slot.c \
	kernels/host/allreduce_staged.c \
	kernels/host/allreduce_staged_one_shot.c \
	kernels/host/allreduce_two_shot.c

libsymm_core_la_SOURCES += $(kernel_sources)
