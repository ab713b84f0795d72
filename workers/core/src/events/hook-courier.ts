import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { postTo } from './hook-post.ts'
import type { DueHook, Failed } from './hooks.ts'
import type { EventReading } from './transaction.ts'

/** The part of an identity's object that the courier needs. */
export interface HookDesk {
  readonly due: (now: number) => { readonly hook: DueHook; readonly reading: EventReading }[]
  readonly settle: (hook: DueHook, reading: EventReading, failed: Failed | null, now: number) => void
}

const MAX_RETRY_AFTER_SECONDS = 3_600

/**
 * Sends what is due, a page to each address, and records the outcome. A crash in between sends the same page again,
 * under the same id. Never rejects.
 */
export async function deliverPages(desk: HookDesk, signer: DeploymentSigner): Promise<void> {
  if (!signer.isReady) return
  await Promise.all(
    desk.due(Date.now()).map(async ({ hook, reading }) => {
      const failed = await deliver(hook, reading, signer).catch(() => UNREACHABLE)
      desk.settle(hook, reading, failed, Date.now())
    }),
  )
}

const UNREACHABLE: Failed = { failure: 'unreachable', isGone: false, retryAfterMs: null }

/** Null if the address took it. */
async function deliver(
  { hookId, url, delivered }: DueHook,
  reading: EventReading,
  signer: DeploymentSigner,
): Promise<Failed | null> {
  const { did, events, missed, head } = reading
  const issuedAt = Date.now()
  const page = {
    type: 'svc/event-page/v1',
    did,
    after: delivered,
    events: [...events],
    missed,
    head,
    issuedAt,
  } as const
  const body = await signer.sign(page)
  if (!body) return UNREACHABLE
  const message = { url, id: `${hookId}.${delivered}`, body }
  const posted = await postTo(message, issuedAt, async (response) => {
    await response.body?.cancel()
    return failureOf(response)
  })
  return typeof posted === 'string' ? { failure: posted, isGone: false, retryAfterMs: null } : posted
}

function failureOf({ status, headers }: Response): Failed | null {
  if (status >= 200 && status <= 299) return null
  if (status >= 300 && status <= 399) return { failure: 'redirect', isGone: false, retryAfterMs: null }
  return { failure: 'status', isGone: status === 410, retryAfterMs: retryAfterOf(headers) }
}

function retryAfterOf(headers: Headers): number | null {
  const seconds = headers.get('retry-after')
  if (seconds === null || !/^\d{1,6}$/.test(seconds)) return null
  return Math.min(Number(seconds), MAX_RETRY_AFTER_SECONDS) * 1000
}
