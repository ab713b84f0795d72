import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { type AddressRules, addressFault } from '@svc/protocol/events/hooks'
import { postTo } from './hook-post.ts'
import type { DueHook, Failed } from './hooks.ts'
import { type EventReading, lastOf } from './transaction.ts'

/** The part of an identity's object that the courier needs. */
export interface HookDesk {
  readonly due: (now: number) => { readonly hook: DueHook; readonly reading: EventReading }[]
  readonly postpone: (hook: DueHook, now: number) => void
  readonly settle: (hook: DueHook, reading: EventReading, failed: Failed | null, now: number) => void
}

const MAX_RETRY_AFTER_MS = 3_600_000

/**
 * Sends what is due, a page to each address, and records the outcome. A crash in between sends the events again. Rejects
 * only if the outcome cannot be recorded.
 */
export async function deliverPages(desk: HookDesk, signer: DeploymentSigner, rules: AddressRules): Promise<void> {
  await Promise.all(
    desk.due(Date.now()).map(async ({ hook, reading }) => {
      const body = await signedPage(hook, reading, signer).catch(() => null)
      if (body) desk.settle(hook, reading, await deliver(hook, reading, body, rules), Date.now())
      else desk.postpone(hook, Date.now())
    }),
  )
}

/** Null if the deployment has no key to sign with. */
function signedPage({ delivered }: DueHook, { did, events, missed, head }: EventReading, signer: DeploymentSigner) {
  const type = 'svc/event-page/v1'
  return signer.sign({ type, did, after: delivered, events: [...events], missed, head, issuedAt: Date.now() })
}

/** Null if the address took it. A page with other events has another id: who knows an id has all its events. */
async function deliver(
  hook: DueHook,
  reading: EventReading,
  body: object,
  rules: AddressRules,
): Promise<Failed | null> {
  const { hookId, url } = hook
  // The deployment may have got this host since it was proved.
  if (addressFault(url, rules)) return { failure: 'unreachable', isGone: true, retryAfterMs: null }
  const message = { url, id: `${hookId}.${lastOf(reading, hook)}`, body }
  const posted = await postTo(message, Date.now(), async (response) => {
    await response.body?.cancel()
    return failureOf(response)
  })
  return typeof posted === 'string' ? { failure: posted, isGone: false, retryAfterMs: null } : posted
}

function failureOf({ status, headers }: Response): Failed | null {
  if (status >= 200 && status <= 299) return null
  if (status >= 300 && status <= 399) return { failure: 'redirect', isGone: false, retryAfterMs: null }
  return { failure: 'status', isGone: status === 410, retryAfterMs: retryAfterOf(headers.get('retry-after')) }
}

/** In seconds, or as a date. */
function retryAfterOf(value: string | null): number | null {
  if (value === null) return null
  const wait = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return wait > 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : null
}
