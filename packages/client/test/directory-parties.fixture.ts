/** What the owner of an account, a contact and a witness find in what a directory shows them. */
import { type AccountHead, EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import { type AuditState, LogAuditor } from '../src/keys/log-auditor.ts'
import type { Fetch } from '../src/transport/fetch.ts'
import { ServiceError } from '../src/transport/service-error.ts'
import { Transport } from '../src/transport/transport.ts'
import { VerificationError } from '../src/verification/verification-error.ts'
import { NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'
import { clientOf, device, LIST_KEYS, transportTo, type View } from './shown-directory.fixture.ts'
import { alice, mallory } from './sides.ts'

/** Why a party refuses what it is shown; null if it finds nothing. */
async function refusal(work: Promise<unknown>): Promise<string | null> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof VerificationError) return error.reason
  // Everything was proved, and there is no prekey here.
  if (error === null || (error instanceof ServiceError && error.error === 'not_found')) return null
  throw new Error('neither proved nor refused', { cause: error })
}

/** The owner signed `own`, and finds an update that is not of them. */
async function ownerFinds(view: View, own: readonly string[]): Promise<string | null> {
  const { transparency } = await clientOf(view)
  const known = foldHead(EMPTY_HEAD, own)
  let now: AccountHead = known
  const why = await refusal(transparency.follow(alice.did, known).then((head) => (now = head)))
  return why ?? (now.head === known.head ? null : 'not mine')
}

/** What an owner's watch raises when the directory turns from one view to another; the news before it, and the evidence. */
export async function watchFinds(before: View, after: View) {
  let view = before
  const { transparency } = await clientOf(before, {
    fetch: async (...call: Parameters<Fetch>) => (await transportTo(view))(...call),
    sleep: async () => {
      view = after
    },
  })
  const news: AccountHead[] = []
  try {
    for await (const { head } of transparency.watch(alice.did)) news.push(head)
  } catch (error) {
    if (error instanceof VerificationError) return { news, reason: error.reason, evidence: error.evidence }
    throw error
  }
  throw new Error('a watch does not end')
}

export async function contactFinds(view: View, options: object = {}): Promise<string | null> {
  const { keyDirectory } = await clientOf(view, { identity: mallory, ...options })
  return refusal(keyDirectory.reserve(alice.did, device.deviceId))
}

export async function witnessFinds(view: View, from: AuditState | null = null): Promise<string | null> {
  const transport = new Transport({ realm: REALM, fetch: await transportTo(view), now: () => NOW })
  return refusal(new LogAuditor(transport, 'https://keys.test', LIST_KEYS).follow(from))
}

export async function findings(views: { owner: View; contact: View; witness: View }, own: readonly string[]) {
  return {
    owner: await ownerFinds(views.owner, own),
    contact: await contactFinds(views.contact),
    witness: await witnessFinds(views.witness),
  }
}
export const NOTHING = { owner: null, contact: null, witness: null }
