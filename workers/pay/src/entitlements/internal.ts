/**
 * What siblings ask by RPC. The props of their binding admit them, without the secret: core and pay call each other, so
 * there is no order in which a change of the secret could reach them.
 *
 * @module
 */
import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { type IssuedCode, issuedCodeSchema, type Standing } from '@svc/protocol/internal/pay'
import { createRuntime } from '../services.ts'

type Caller = string | undefined

/** Services that ask which tier an identity has. */
const READERS: readonly Caller[] = ['core', 'did', 'provenance', 'consent']

/** Which tier an identity has now, by which source and until when. */
export async function standingFor(caller: Caller, env: Env, did: string): Promise<Standing> {
  if (!READERS.includes(caller)) throw new Error('only siblings may read an entitlement')
  return createRuntime(env).deps.entitlements.standing(didSchema.parse(did), Date.now())
}

/** The standing after a code was redeemed for an identity that core knows; null if it cannot be. */
export async function redeemFor(caller: Caller, env: Env, did: string, codeHash: string): Promise<Standing | null> {
  if (caller !== 'core') throw new Error('only core may redeem a code for an identity')
  const { entitlements } = createRuntime(env).deps
  const now = Date.now()
  const redeemed = await entitlements.redeem(didSchema.parse(did), hashSchema.parse(codeHash), now)
  return redeemed && entitlements.standing(did, now)
}

/**
 * Issues a code for a request that the operator approved at core, whose record has the act. Core makes the code, because it
 * mails it; pay learns only its hash. Idempotent per code, so core asks again after a fault.
 */
export async function issueFor(caller: Caller, env: Env, code: IssuedCode): Promise<true> {
  if (caller !== 'core') throw new Error('only core may issue a code')
  await createRuntime(env).deps.entitlements.issue(issuedCodeSchema.parse(code), Date.now())
  return true
}
