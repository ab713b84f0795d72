import { ok } from '@svc/protocol/base/result'
import type { DidOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer } from '@svc/service'
import type { LicenceStore } from '../organizations/licence-store.ts'

/** Carries out the operator's acts at the DID service: licences of organizations. */
export function performerOf(licences: LicenceStore): ActPerformer<DidOperatorAct['statement']> {
  return async (statement) => {
    await licences.set(statement)
    return ok({})
  }
}
