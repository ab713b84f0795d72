import { err, ok } from '@svc/protocol/base/result'
import type { ProvenanceOperatorAct, Reindexed } from '@svc/protocol/operator/acts'
import type { ActPerformer } from '@svc/service'
import type { TakedownRefusal, TakedownService } from '../takedowns/service.ts'
import type { VectorSetService } from '../vectors/set-service.ts'

export type ActRefusal = TakedownRefusal | { readonly reason: 'index_not_provisioned' }
export type ActDone = Reindexed | object

/** Provenance's operator acts: rebuilding one page of a vector index, and taking an asset down. */
export function performerOf(
  sets: VectorSetService,
  takedowns: TakedownService,
): ActPerformer<ProvenanceOperatorAct['statement'], ActRefusal, ActDone> {
  return async (statement, now, { operator }) => {
    if (statement.type === 'svc/operator-takedown/v1') return takedowns.takeDown(statement, operator, now)
    const reindexed = await sets.reindex(statement.index, statement.after, now)
    return reindexed ? ok(reindexed) : err({ reason: 'index_not_provisioned' })
  }
}
