import { err, ok } from '@svc/protocol/base/result'
import type { ProvenanceOperatorAct, Reindexed } from '@svc/protocol/operator/acts'
import type { HistoricalCommitment, Imported } from '@svc/protocol/operator/imports'
import type { RebuiltObjects } from '@svc/protocol/operator/rebuild-objects'
import type { ActPerformer, ObjectRebuild } from '@svc/service'
import type { TakedownRefusal, TakedownService } from '../takedowns/service.ts'
import type { VectorSetService } from '../vectors/set-service.ts'

export type ActRefusal = TakedownRefusal | { readonly reason: 'index_not_provisioned' }
export type ActDone = Reindexed | Imported | RebuiltObjects | object

/**
 * Provenance's operator acts: rebuilding one page of a vector index, taking an asset down, importing commitments, and
 * rebuilding capsules.
 */
export function performerOf(
  sets: VectorSetService,
  takedowns: TakedownService,
  importCommitments: (commitments: readonly HistoricalCommitment[]) => Promise<Imported>,
  rebuild: ObjectRebuild<'capsule-buckets' | 'capsule-owners'>,
): ActPerformer<ProvenanceOperatorAct['statement'], ActRefusal, ActDone> {
  return async (statement, now, { operator }) => {
    if (statement.type === 'svc/operator-takedown/v1') return takedowns.takeDown(statement, operator, now)
    if (statement.type === 'svc/operator-import-commitments/v1')
      return ok(await importCommitments(statement.commitments))
    if (statement.type === 'svc/operator-rebuild-objects/v1') return rebuild.run(statement, now)
    const reindexed = await sets.reindex(statement.index, statement.after, now)
    return reindexed ? ok(reindexed) : err({ reason: 'index_not_provisioned' })
  }
}
