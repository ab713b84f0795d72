import { ok } from '@svc/protocol/base/result'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { ConsentImportStatement, Imported } from '@svc/protocol/operator/imports'
import type { RebuiltObjects, rebuildSchemas } from '@svc/protocol/operator/rebuild-objects'
import type { ActPerformer, ObjectRebuild } from '@svc/service'
import type * as z from 'zod'
import type { ImportService } from '../consent/import-service.ts'
import type { SettlementRefusal, SettlementService } from '../consent/settlement-service.ts'

type ConsentObjects = 'consent-stores' | 'consent-creators'
export type ConsentActStatement =
  | ConsentSettleStatement
  | ConsentImportStatement
  | z.infer<typeof rebuildSchemas.consent>['statement']

/** Carries out the operator's acts at consent: settling a dispute about an identifier, importing records, rebuilding objects. */
export function performerOf(
  parts: {
    readonly settlements: SettlementService
    readonly imports: ImportService
    readonly rebuild: ObjectRebuild<ConsentObjects>
  },
  publicKeyB64u: string,
): ActPerformer<ConsentActStatement, SettlementRefusal, Imported | RebuiltObjects | object> {
  const { settlements, imports, rebuild } = parts
  return async (statement, now, { signatureB64u }) => {
    if (statement.type === 'svc/operator-import-consent/v1') return ok(await imports.add(statement.records, now))
    if (statement.type === 'svc/operator-rebuild-objects/v1') return rebuild.run(statement, now)
    return settlements.settle({ statement, signatureB64u, publicKeyB64u })
  }
}
