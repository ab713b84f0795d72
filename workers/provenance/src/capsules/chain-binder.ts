import { err, ok, type Result } from '@svc/protocol/base/result'
import type { ChainBlockV4, ChainHead } from '@svc/protocol/chain/chain'
import { bindAnswerSchema } from '@svc/protocol/internal/chain'
import type { ChainBinding } from '@svc/protocol/provenance/capsules'
import type { InternalClient } from '@svc/service'

export type BindingRefusal =
  | { readonly reason: 'block_invalid_signature' | 'block_owner_mismatch' | 'security_hold' | 'profile_not_accepted' }
  | {
      readonly reason: 'budget_exhausted'
      readonly budget: string
      readonly used: number
      readonly limit: number
      readonly tier: string
    }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'stale_head'; readonly head: ChainHead }
  | { readonly reason: 'unavailable'; readonly detail: string }

/** Appends a block that the owner has signed to the owner's chain at core. The block's signature is its credential. */
export class ChainBinder {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** Idempotent: a block that is already in place returns the same answer, so a retry never conflicts with itself. */
  async append(did: string, block: ChainBlockV4): Promise<Result<ChainBinding, BindingRefusal>> {
    const appended = await this.#core.call(
      { method: 'POST', path: '/api/internal/chain/append', body: { did, block } },
      bindAnswerSchema,
    )
    if (!appended.ok) return err({ reason: 'unavailable', detail: 'core: append' })
    const answer = appended.value
    switch (answer.state) {
      case 'appended': {
        const { index, hash, acceptedAt } = answer
        return ok({ index, hash, acceptedAt })
      }
      case 'stale_head':
        return err({ reason: 'stale_head', head: answer.head })
      case 'stale_epoch':
        return err({ reason: 'stale_epoch', epoch: answer.epoch })
      case 'budget_exhausted': {
        const { budget, used, limit, tier } = answer
        return err({ reason: 'budget_exhausted', budget, used, limit, tier })
      }
      case 'invalid_signature':
        return err({ reason: 'block_invalid_signature' })
      case 'owner_mismatch':
        return err({ reason: 'block_owner_mismatch' })
      case 'security_hold':
      case 'profile_not_accepted':
        return err({ reason: answer.state })
    }
  }
}
