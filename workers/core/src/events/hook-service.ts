import type { Caller } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type AddressRules, addressFault, challengeAnswerSchema, type EventHook } from '@svc/protocol/events/hooks'
import { equalSecrets } from '@svc/service'
import type { IdentityService } from '../identity/service.ts'
import { postTo, shortJson } from './hook-post.ts'
import type { HookRefusal } from './hooks.ts'

/** The web hooks of an identity: kept in its object, proved from here. */
export class HookService {
  readonly #identities: IdentityService
  readonly #signer: DeploymentSigner
  readonly #rules: AddressRules

  constructor(identities: IdentityService, signer: DeploymentSigner, rules: AddressRules) {
    this.#identities = identities
    this.#signer = signer
    this.#rules = rules
  }

  async create({ did }: Caller, url: string): Promise<Result<EventHook, HookRefusal>> {
    if (addressFault(url, this.#rules)) return err({ reason: 'address' })
    const hookId = randomText(16)
    const hook = await this.#identities.ask(did, async (identity) => identity.addHook(hookId, new URL(url).href))
    return hook ? ok(hook) : err({ reason: 'hook_limit' })
  }

  list({ did }: Caller): Promise<EventHook[]> {
    return this.#identities.ask(did, async (identity) => identity.hooks())
  }

  async remove({ did }: Caller, hookId: string): Promise<Result<EventHook, HookRefusal>> {
    const removed = await this.#identities.ask(did, async (identity) => identity.removeHook(hookId))
    return removed ? ok(removed) : err({ reason: 'not_found' })
  }

  /** Asks the address whose hook it is. Idempotent: an address that has proved itself is not asked again. */
  async verify(caller: Caller, hookId: string, now: number): Promise<Result<EventHook, HookRefusal>> {
    const hook = (await this.list(caller)).find((one) => one.hookId === hookId)
    if (!hook) return err({ reason: 'not_found' })
    if (hook.status === 'active') return ok(hook)
    // The rules may have changed since it was created.
    if (addressFault(hook.url, this.#rules)) return err({ reason: 'address' })
    const challenge = randomText(32)
    const body = await this.#signer.sign({
      type: 'svc/event-challenge/v1',
      hookId,
      url: hook.url,
      challenge,
      issuedAt: now,
    })
    if (!body) return err({ reason: 'receipts_unavailable' })
    const message = { url: hook.url, id: `${hookId}.challenge`, body }
    const posted = await postTo(message, now, async (answer) => (answer.status === 200 ? shortJson(answer) : null))
    const answer = challengeAnswerSchema.safeParse(posted)
    const isProved = answer.success && answer.data.did === caller.did && equalSecrets(answer.data.challenge, challenge)
    if (!isProved) return err({ reason: 'hook_not_proved' })
    const { did, userId } = caller
    return this.#identities.ask(did, async (identity) => identity.activateHook(hookId, userId))
  }
}

function randomText(bytes: number): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}
