// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the tests of a module on a kernel without KUnit.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "ktest.h"

struct ktest_count {
	unsigned int passed;
	unsigned int failed;
	unsigned int skipped;
};

struct ktest_action {
	struct list_head list;
	kunit_action_t *function;
	void *ctx;
};

int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *function,
			      void *ctx)
{
	struct ktest_action *action = kmalloc(sizeof(*action), GFP_KERNEL);

	if (!action) {
		function(ctx);
		return -ENOMEM;
	}
	action->function = function;
	action->ctx = ctx;
	list_add(&action->list, &test->actions);
	return 0;
}

void ktest_abort(struct kunit *test)
{
	kthread_complete_and_exit(&test->done, 0);
}

static int ktest_thread(void *data)
{
	struct kunit *test = data;

	test->run_case(test);
	ktest_abort(test);
}

static void ktest_run_case(struct kunit_suite *suite, struct kunit_case *kcase,
			   struct kunit *test)
{
	struct ktest_action *action, *next;
	struct task_struct *task;

	INIT_LIST_HEAD(&test->actions);
	init_completion(&test->done);
	test->name = kcase->name;
	test->run_case = kcase->run_case;

	if (suite->init && suite->init(test)) {
		test->status = KUNIT_FAILURE;
	} else {
		/* A thread of its own, which an assertion can end. */
		task = kthread_run(ktest_thread, test, "ktest");
		if (IS_ERR(task))
			test->status = KUNIT_FAILURE;
		else
			wait_for_completion(&test->done);
	}
	if (suite->exit)
		suite->exit(test);

	list_for_each_entry_safe(action, next, &test->actions, list) {
		action->function(action->ctx);
		kfree(action);
	}
}

static void ktest_result(struct ktest_count *count, int indent, unsigned int number,
			 const char *name, enum kunit_status status,
			 const char *reason)
{
	switch (status) {
	case KUNIT_SUCCESS:
		count->passed++;
		break;
	case KUNIT_FAILURE:
		count->failed++;
		break;
	case KUNIT_SKIPPED:
		count->skipped++;
		break;
	}
	pr_info("%*s%sok %u %s%s%s\n", indent, "",
		status == KUNIT_FAILURE ? "not " : "", number, name,
		status == KUNIT_SKIPPED ? " # SKIP " : "",
		status == KUNIT_SKIPPED ? reason : "");
}

static void ktest_totals(const char *indent, const char *name,
			 const struct ktest_count *count)
{
	pr_info("%s# %s: pass:%u fail:%u skip:%u total:%u\n", indent, name,
		count->passed, count->failed, count->skipped,
		count->passed + count->failed + count->skipped);
}

static enum kunit_status ktest_status(const struct ktest_count *count)
{
	if (count->failed)
		return KUNIT_FAILURE;
	return count->passed ? KUNIT_SUCCESS : KUNIT_SKIPPED;
}

/* Runs a test case once for each parameter. */
static enum kunit_status ktest_run_params(struct kunit_suite *suite,
					  struct kunit_case *kcase,
					  struct kunit *test, char *desc,
					  struct ktest_count *total)
{
	struct ktest_count count = {};
	const void *param = NULL;
	unsigned int number = 0;

	pr_info("        KTAP version 1\n");
	pr_info("        # Subtest: %s\n", kcase->name);
	while ((param = kcase->generate_params(test, param, desc))) {
		memset(test, 0, sizeof(*test));
		test->param_value = param;
		ktest_run_case(suite, kcase, test);
		ktest_result(&count, 8, ++number, desc, test->status,
			     test->status_comment);
		cond_resched();
	}
	ktest_totals("    ", kcase->name, &count);

	total->passed += count.passed;
	total->failed += count.failed;
	total->skipped += count.skipped;
	return ktest_status(&count);
}

static enum kunit_status ktest_run_suite(struct kunit_suite *suite,
					 struct kunit *test, char *desc)
{
	struct ktest_count count = {}, total = {};
	struct kunit_case *kcase;
	unsigned int cases = 0, number = 0;

	if (suite->suite_init && suite->suite_init(suite))
		return KUNIT_FAILURE;

	for (kcase = suite->test_cases; kcase->run_case; kcase++)
		cases++;
	pr_info("    KTAP version 1\n");
	pr_info("    # Subtest: %s\n", suite->name);
	pr_info("    1..%u\n", cases);
	for (kcase = suite->test_cases; kcase->run_case; kcase++) {
		enum kunit_status status;

		status = ktest_run_params(suite, kcase, test, desc, &total);
		ktest_result(&count, 4, ++number, kcase->name, status,
			     "no case of it can run here");
	}
	ktest_totals("", suite->name, &count);
	ktest_totals("", "Totals", &total);
	return ktest_status(&count);
}

int ktest_run(struct kunit_suite * const *suites, size_t suite_count)
{
	struct kunit *test = kzalloc(sizeof(*test), GFP_KERNEL);
	char *desc = kzalloc(KUNIT_PARAM_DESC_SIZE, GFP_KERNEL);
	struct ktest_count count = {};
	int err = -ENOMEM;

	if (!test || !desc)
		goto out;

	pr_info("KTAP version 1\n");
	pr_info("1..%zu\n", suite_count);
	for (size_t i = 0; i < suite_count; i++) {
		enum kunit_status status;

		status = ktest_run_suite(suites[i], test, desc);
		ktest_result(&count, 0, i + 1, suites[i]->name, status, "");
	}
	err = count.failed ? -EINVAL : 0;
out:
	kfree(desc);
	kfree(test);
	return err;
}
