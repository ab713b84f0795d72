import { err, ok, type Result } from '@svc/protocol/base/result'
import type { PayOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer, ObjectRebuild } from '@svc/service'
import type { DeadLetterDecider, Decision } from '../dead-letters/decider.ts'
import type { EntitlementService } from '../entitlements/service.ts'
import type { EntitlementStore } from '../entitlements/store.ts'

export type PayActRefusal = { readonly reason: 'not_found' | 'code_redeemed' | 'event_not_understood' }

/**
 * Carries out the operator's acts at pay: issues codes and withdraws them, grants and revokes licences, ends grants, decides dead letters, and
 * rebuilds meters.
 */
export function performerOf(
  grants: EntitlementStore,
  entitlements: EntitlementService,
  deadLetters: DeadLetterDecider,
  rebuild: ObjectRebuild<'meters'>,
): ActPerformer<PayOperatorAct['statement'], PayActRefusal> {
  return async (statement, now) => {
    switch (statement.type) {
      case 'svc/operator-entitlement-code/v1':
        await grants.issue(statement, now)
        return ok({})
      case 'svc/operator-entitlement-code-withdraw/v1':
        return withdrawn(await grants.withdrawCode(statement.codeHash))
      case 'svc/operator-licence/v1':
        await entitlements.license(statement, now)
        return ok({})
      case 'svc/operator-grant-end/v1':
        return (await entitlements.end(statement.grantId, now)) ? ok({}) : err({ reason: 'not_found' })
      case 'svc/operator-dead-letter/v1':
        return decided(await deadLetters.decide(statement, now))
      case 'svc/operator-rebuild-objects/v1':
        return rebuild.run(statement, now)
    }
  }
}

function withdrawn(outcome: 'withdrawn' | 'redeemed' | 'unknown'): Result<object, PayActRefusal> {
  if (outcome === 'withdrawn') return ok({})
  return err({ reason: outcome === 'redeemed' ? 'code_redeemed' : 'not_found' })
}

function decided(decision: Decision): Result<object, PayActRefusal> {
  switch (decision) {
    case 'done':
      return ok({})
    case 'unknown':
      return err({ reason: 'not_found' })
    case 'not understood':
      return err({ reason: 'event_not_understood' })
  }
}
