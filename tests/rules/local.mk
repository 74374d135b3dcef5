# What the tree itself keeps to: the first of all tests, since it needs nothing that is built.

TESTS += tests/rules/rules.tap
dist_check_SCRIPTS += tests/rules/rules.tap
EXTRA_DIST += tests/rules/documents.py tests/rules/includes.py tests/rules/rules.py \
	tests/rules/sources.py tests/rules/tree.py \
	tests/rules/layers tests/rules/pairs tests/rules/plain_words
