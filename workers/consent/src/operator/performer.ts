import { ok } from '@svc/protocol/base/result'
import type { ConsentMove, ConsentMoveStatement } from '@svc/protocol/consent/moves'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { ConsentImportStatement, Imported } from '@svc/protocol/operator/imports'
import type { RebuiltObjects, rebuildSchemas } from '@svc/protocol/operator/rebuild-objects'
import type { ActPerformer, ObjectRebuild } from '@svc/service'
import type * as z from 'zod'
import type { ImportService } from '../consent/import-service.ts'
import type { SettlementRefusal, SettlementService } from '../consent/settlement-service.ts'
import type { MoveService } from '../move/service.ts'

type ConsentObjects = 'consent-stores' | 'consent-creators' | 'consent-placements'
export type ConsentActStatement =
  | ConsentSettleStatement
  | ConsentImportStatement
  | ConsentMoveStatement
  | z.infer<typeof rebuildSchemas.consent>['statement']

/**
 * Carries out the operator's acts at consent: settling a dispute about an identifier, importing records, moving a bucket,
 * and rebuilding objects.
 */
export function performerOf(
  parts: {
    readonly settlements: SettlementService
    readonly imports: ImportService
    readonly moves: MoveService
    readonly rebuild: ObjectRebuild<ConsentObjects>
  },
  publicKeyB64u: string,
): ActPerformer<ConsentActStatement, SettlementRefusal, Imported | ConsentMove | RebuiltObjects | object> {
  const { settlements, imports, moves, rebuild } = parts
  return async (statement, now, { signatureB64u }) => {
    if (statement.type === 'svc/operator-import-consent/v1') return ok(await imports.add(statement.records, now))
    if (statement.type === 'svc/operator-consent-move/v1') return ok(await moves.move(statement))
    if (statement.type === 'svc/operator-rebuild-objects/v1') return rebuild.run(statement, now)
    return settlements.settle({ statement, signatureB64u, publicKeyB64u })
  }
}
