// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts in which drivers are used.
 */
#include <crypto/internal/simd.h>
#include <linux/bottom_half.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>
#ifdef CONFIG_X86
#include <asm/fpu/api.h>
#endif

#include "crypto_test.h"

void call_without_softirqs(void (*function)(void *arg), void *arg)
{
	local_bh_disable();
	function(arg);
	local_bh_enable();
}

void call_without_interrupts(void (*function)(void *arg), void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	function(arg);
	local_irq_restore(flags);
}

struct call {
	struct work_struct work;
	void (*function)(void *arg);
	void *arg;
};

static void call_work(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	call->function(call->arg);
}

void call_in_softirq(void (*function)(void *arg), void *arg)
{
	struct call call = { .function = function, .arg = arg };

	INIT_WORK_ONSTACK(&call.work, call_work);
	queue_work(system_bh_wq, &call.work);
	flush_work(&call.work);
	destroy_work_on_stack(&call.work);
}

#if defined(CONFIG_X86) && !defined(CONFIG_UML)

/* Somebody else has the vector registers. */
void call_without_simd(void (*function)(void *arg), void *arg)
{
	kernel_fpu_begin();
	function(arg);
	kernel_fpu_end();
}

#elif defined(CONFIG_CRYPTO_SELFTESTS_FULL)

/* The switch of the kernel's own self-tests. */
void call_without_simd(void (*function)(void *arg), void *arg)
{
	preempt_disable();
	__this_cpu_write(crypto_simd_disabled_for_test, true);
	function(arg);
	__this_cpu_write(crypto_simd_disabled_for_test, false);
	preempt_enable();
}

#endif
