import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Invite, InvitePage } from '@svc/protocol/operator/invites'
import { CODE_BYTES, codeHash, codeOf } from '@svc/protocol/pay/codes'
import type { Tier } from '@svc/protocol/pay/tiers'
import { raiseAlarm, type StandingClient } from '@svc/service'
import type { InviteMail } from './mail.ts'
import { type Person, personIn, sealPerson } from './person.ts'
import { HOLD_MS, type InviteRefusal, REDEEMABLE_MS, refusalOf, stateOf } from './rules.ts'
import type { InviteSecrets } from './secrets.ts'
import type { Deciding, InviteStore, StoredInvite } from './store.ts'

const PAGE = 100
/** Interrupted decisions that one sweep carries out; each takes a call of pay and a mail. */
const FINISHED_AT_ONCE = 20

export interface InviteParts {
  readonly store: InviteStore
  readonly secrets: InviteSecrets
  readonly mail: InviteMail
  readonly pay: Pick<StandingClient, 'issue'>
}

type Outcome = Promise<Result<object, InviteRefusal>>

/**
 * What the operator decides about requests for an invitation. A decision is written first, with its code encrypted, and then
 * carried out: pay issues the code, the code is mailed, and the row is marked. A fault anywhere leaves a decision that the
 * next act, or the hourly sweep, carries out with the same code; at worst the same mail comes twice.
 */
export class InviteDecisions {
  readonly #parts: InviteParts

  constructor(parts: InviteParts) {
    this.#parts = parts
  }

  async page(after: number): Promise<Pick<InvitePage, 'invites' | 'next'>> {
    const { secrets, store } = this.#parts
    await secrets.requireSeed()
    const { invites, next } = await store.page(after, PAGE)
    return { invites: await Promise.all(invites.map((invite) => this.#shown(invite))), next }
  }

  async approve(inviteId: string, { tier, days }: { tier: Tier; days: number }, now: number): Outcome {
    const { secrets } = this.#parts
    const refusal = await this.#unmailable(inviteId)
    if (refusal) return err(refusal)
    const code = codeOf(crypto.getRandomValues(new Uint8Array(CODE_BYTES)))
    const sealedCode = await secrets.seal(code, { kind: 'code', inviteId })
    const deciding = { decision: 'approved', tier, days, sealedCode, redeemableUntil: now + REDEEMABLE_MS } as const
    return this.#decide(inviteId, deciding, now)
  }

  async decline(inviteId: string, mails: boolean, now: number): Outcome {
    const refusal = mails ? await this.#unmailable(inviteId) : null
    if (refusal) return err(refusal)
    return this.#decide(inviteId, { decision: 'declined', mails, sealedCode: null, redeemableUntil: null }, now)
  }

  async forget(inviteId: string, now: number): Outcome {
    switch (await this.#parts.store.forget(inviteId, now)) {
      case 'forgotten':
        return ok({})
      case 'unknown':
        return err({ reason: 'not_found' })
      case 'held':
        return err({ reason: 'invite_under_way' })
    }
  }

  /** Carries out what was interrupted, and encrypts anew what is under an earlier seed. For the hourly sweep. */
  async sweep(now: number): Promise<void> {
    const { store } = this.#parts
    let failed = 0
    for (const { id, decided } of await store.interrupted(now, FINISHED_AT_ONCE)) {
      if (decided === null) continue
      // Its code and terms stand; only the hold is taken.
      const deciding = { ...decided, sealedCode: null, redeemableUntil: null }
      const done = await this.#decide(id, deciding, now).catch(() => err({ reason: 'failed' } as const))
      // Somebody else may have begun it meanwhile.
      if (!done.ok && done.error.reason !== 'invite_under_way') failed += 1
    }
    if (failed > 0) raiseAlarm({ service: 'core', alarm: 'invites_undelivered', count: failed })
    await this.#reseal()
  }

  /** Before anything is decided: what cannot be mailed is not approved. */
  async #unmailable(inviteId: string): Promise<InviteRefusal | null> {
    const { mail, secrets, store } = this.#parts
    mail.requireSender()
    await secrets.requireSeed()
    const invite = await store.find(inviteId)
    if (!invite) return { reason: 'not_found' }
    return (await this.#personOf(invite)) === null ? { reason: 'invite_unreadable' } : null
  }

  async #decide(inviteId: string, deciding: Deciding, now: number): Outcome {
    const { store } = this.#parts
    const until = now + HOLD_MS
    const taken = await store.decide(inviteId, deciding, { now, until })
    if (!taken) return err({ reason: 'not_found' })
    if (!taken.mine) {
      const refusal = refusalOf(taken.invite, deciding)
      return refusal ? err(refusal) : ok({})
    }
    try {
      const refusal = await this.#carryOut(taken.invite)
      await (refusal ? store.release(inviteId, until) : store.finish(inviteId, now))
      return refusal ? err(refusal) : ok({})
    } catch (fault) {
      // If this fails too, the hold ends by itself.
      await store.release(inviteId, until).catch(() => {})
      throw fault
    }
  }

  /** Idempotent but for the mail, which may come twice. The code is the one of the row, whichever act made it. */
  async #carryOut(invite: StoredInvite): Promise<InviteRefusal | null> {
    const { decided, sealedCode, redeemableUntil } = invite
    const { secrets, pay, mail } = this.#parts
    if (decided?.decision === 'declined' && !decided.mails) return null
    const person = await this.#personOf(invite)
    if (decided === null || person === null) return { reason: 'invite_unreadable' }
    if (decided.decision === 'declined') {
      await mail.sendDecline(person.email)
      return null
    }
    const code = sealedCode === null ? null : await secrets.open(sealedCode, { kind: 'code', inviteId: invite.id })
    if (code === null || redeemableUntil === null) return { reason: 'invite_unreadable' }
    const { tier, days } = decided
    await pay.issue({ codeHash: codeHash(code), tier, days, redeemableUntil })
    await mail.sendCode({ to: person.email, code, tier, days, redeemableUntil })
    return null
  }

  /** Everything that can be opened; what cannot stays as it is until it is forgotten. */
  async #reseal(): Promise<void> {
    const { store, secrets } = this.#parts
    const prefix = await secrets.currentPrefix()
    for (let after = 0; ; ) {
      const found = await store.under(prefix, after)
      const replaced = await Promise.all(found.map((invite) => this.#resealed(invite)))
      await store.reseal(replaced.filter((one) => one !== null))
      const last = found.at(-1)
      if (!last) return
      after = last.position
    }
  }

  async #resealed(invite: StoredInvite) {
    const { secrets } = this.#parts
    const person = await this.#personOf(invite)
    if (person === null) return null
    const about = { kind: 'code', inviteId: invite.id } as const
    const code = invite.sealedCode === null ? null : await secrets.open(invite.sealedCode, about)
    const [addressHash] = await secrets.addressHashes(person.email)
    return {
      invite,
      addressHash,
      sealed: await sealPerson(secrets, invite.id, person),
      sealedCode: code === null ? invite.sealedCode : await secrets.seal(code, about),
    }
  }

  #personOf(invite: StoredInvite): Promise<Person | null> {
    return personIn(this.#parts.secrets, invite)
  }

  async #shown(invite: StoredInvite): Promise<Invite> {
    const { id, requestedAt, decidedAt, forgetAt, decided } = invite
    const person = await this.#personOf(invite)
    return {
      id,
      state: stateOf(invite),
      requestedAt,
      decidedAt,
      forgetAt,
      grants: decided?.decision === 'approved' ? { tier: decided.tier, days: decided.days } : null,
      email: person?.email ?? null,
      name: person?.name ?? null,
      reason: person?.reason ?? null,
    }
  }
}
