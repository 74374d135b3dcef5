# packaging/local.mk - recipes for the tools of sites (docs/packages.md), of which nothing is built,
# and a module file (docs/batch.md).
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += \
	packaging/conda/recipe.yaml \
	packaging/container/Dockerfile \
	packaging/container/ompi-symm.def \
	packaging/easybuild/ompi-symm-0.3.0-gompi-2025a.eb \
	packaging/rpm/ompi-symm.spec \
	packaging/rpm/rpmlint.toml \
	packaging/spack/packages/ompi-symm/package.py \
	packaging/spack/repo.yaml
nobase_dist_doc_DATA += packaging/modulefile
