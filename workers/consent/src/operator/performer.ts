import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { ActPerformer } from '@svc/service'
import type { SettlementRefusal, SettlementService } from '../consent/settlement-service.ts'

/** Carries out the operator's act at consent: settling a dispute about an identifier. */
export function performerOf(
  settlements: SettlementService,
  publicKeyB64u: string,
): ActPerformer<ConsentSettleStatement, SettlementRefusal> {
  return (statement, _, { signatureB64u }) => settlements.settle({ statement, signatureB64u, publicKeyB64u })
}
