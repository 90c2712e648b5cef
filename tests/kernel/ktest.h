/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit where the kernel has it.  Where it has not, as in distribution kernels,
 * the few KUnit interfaces that our tests use, with the same meaning and the
 * same KTAP output in the kernel log.  There, loading the module fails with
 * EINVAL if a test fails.
 */
#ifndef RFL_KTEST_H
#define RFL_KTEST_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_KUNIT)

#include <kunit/resource.h>
#include <kunit/test.h>

#else

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/printk.h>

#define KUNIT_PARAM_DESC_SIZE 128

enum kunit_status {
	KUNIT_SUCCESS,
	KUNIT_FAILURE,
	KUNIT_SKIPPED,
};

struct kunit {
	void *priv;
	const char *name;
	const void *param_value;
	enum kunit_status status;
	char status_comment[256];
	/* private: */
	void (*run_case)(struct kunit *test);
	struct completion done;
	struct list_head actions;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(struct kunit *test, const void *prev,
				       char *desc);
};

struct kunit_suite {
	const char *name;
	int (*suite_init)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE_PARAM(test_name, gen_params) \
	{ .run_case = test_name, .name = #test_name, \
	  .generate_params = gen_params }

#define kunit_info(test, fmt, ...) \
	pr_info("    # %s: " fmt, (test)->name, ##__VA_ARGS__)

#define kunit_skip(test, fmt, ...) do {					\
	struct kunit *__test = (test);					\
									\
	__test->status = KUNIT_SKIPPED;					\
	scnprintf(__test->status_comment,				\
		  sizeof(__test->status_comment), fmt, ##__VA_ARGS__);	\
	ktest_abort(__test);						\
} while (0)

#define KTEST_CHECK(test, abort, condition, fmt, ...) do {		\
	struct kunit *__test = (test);					\
									\
	if (!(condition)) {						\
		__test->status = KUNIT_FAILURE;				\
		pr_err("    # %s: failed at %s:%d: " fmt "\n",		\
		       __test->name, __FILE__, __LINE__, ##__VA_ARGS__); \
		if (abort)						\
			ktest_abort(__test);				\
	}								\
} while (0)

#define KUNIT_EXPECT_TRUE_MSG(test, condition, fmt, ...) \
	KTEST_CHECK(test, false, condition, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, condition) \
	KTEST_CHECK(test, false, condition, "%s", #condition)
#define KUNIT_EXPECT_EQ(test, left, right) \
	KTEST_CHECK(test, false, (left) == (right), "%s == %s (%lld, %lld)", \
		    #left, #right, (long long)(left), (long long)(right))
#define KUNIT_ASSERT_TRUE_MSG(test, condition, fmt, ...) \
	KTEST_CHECK(test, true, condition, fmt, ##__VA_ARGS__)
#define KUNIT_ASSERT_EQ(test, left, right) \
	KTEST_CHECK(test, true, (left) == (right), "%s == %s (%lld, %lld)", \
		    #left, #right, (long long)(left), (long long)(right))
#define KUNIT_ASSERT_NOT_NULL(test, ptr) \
	KTEST_CHECK(test, true, (ptr), "%s", #ptr)

typedef void (kunit_action_t)(void *);
int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *action,
			      void *ctx);

/* Ends the thread that runs the test. */
void __noreturn ktest_abort(struct kunit *test);

int ktest_run(struct kunit_suite * const *suites, size_t count);

#define kunit_test_suites(...)						\
	static struct kunit_suite *ktest_suites[] = { __VA_ARGS__ };	\
									\
	static int __init ktest_init(void)				\
	{								\
		return ktest_run(ktest_suites, ARRAY_SIZE(ktest_suites)); \
	}								\
	module_init(ktest_init);					\
									\
	static void __exit ktest_exit(void)				\
	{								\
	}								\
	module_exit(ktest_exit)

#endif /* !CONFIG_KUNIT */

#endif /* RFL_KTEST_H */
