import { ok } from '@svc/protocol/base/result'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { ConsentImportStatement, Imported } from '@svc/protocol/operator/imports'
import type { ActPerformer } from '@svc/service'
import type { ImportService } from '../consent/import-service.ts'
import type { SettlementRefusal, SettlementService } from '../consent/settlement-service.ts'

export type ConsentActStatement = ConsentSettleStatement | ConsentImportStatement

/** Carries out the operator's acts at consent: settling a dispute about an identifier, and importing records. */
export function performerOf(
  settlements: SettlementService,
  imports: ImportService,
  publicKeyB64u: string,
): ActPerformer<ConsentActStatement, SettlementRefusal, Imported | object> {
  return async (statement, now, { signatureB64u }) => {
    if (statement.type === 'svc/operator-import-consent/v1') return ok(await imports.add(statement.records, now))
    return settlements.settle({ statement, signatureB64u, publicKeyB64u })
  }
}
