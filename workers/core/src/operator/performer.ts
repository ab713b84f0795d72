import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import type { RollRefusal } from '@svc/protocol/merkle/roll'
import type { OperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer, KeptLogs, ObjectRebuild } from '@svc/service'
import type { AnchorRebuild } from '../anchors/rebuild.ts'
import type { Withholding } from '../anchors/withholding.ts'
import type { GovernanceService } from '../governance/service.ts'
import type { IdentityService } from '../identity/service.ts'
import type { InviteDecisions } from '../invites/decision-service.ts'
import type { InviteRefusal } from '../invites/rules.ts'
import type { ContentService } from '../ipfs/content-service.ts'
import type { PinningService } from '../ipfs/service.ts'
import type { RotationService } from '../rotation/service.ts'

/** Why an act with a valid signature could not be performed. */
export type ActRefusal =
  | InviteRefusal
  | RollRefusal
  | {
      readonly reason:
        | 'not_found'
        | 'key_not_committed'
        | 'policy_founded'
        | 'duplicate_signer'
        | 'threshold_out_of_range'
        | 'cid_unsupported'
    }

/** The services that operator acts change. */
export interface Acted {
  readonly identities: IdentityService
  readonly objectRebuild: ObjectRebuild<'identities' | 'vaults' | 'inboxes'>
  readonly rotations: RotationService
  readonly governance: GovernanceService
  readonly anchorLogs: KeptLogs<SignedCheckpoint>
  readonly anchorRebuild: AnchorRebuild
  readonly withholding: Withholding
  readonly content: ContentService
  readonly pinning: PinningService
  readonly decisions: InviteDecisions
}

/** Performs the operator acts of core. */
export function performerOf(acted: Acted): ActPerformer<OperatorAct['statement'], ActRefusal> {
  return async (statement, now, { operator, signatureB64u }) => {
    switch (statement.type) {
      case 'svc/operator-chain-reindex/v1':
        return found(await acted.identities.reindex(statement.did))
      case 'svc/operator-rebuild-objects/v1':
        return acted.objectRebuild.run(statement, now)
      case 'svc/operator-rotation-approve/v1': {
        const { did, rotationId, nonce, request } = statement
        const approved = await acted.rotations.approve(did, rotationId, { operator, nonce }, request ?? null)
        return approved.ok ? ok({}) : approved
      }
      case 'svc/operator-governance-policy/v1': {
        const { policy, previousPolicyId, nonce } = statement
        const founded = await acted.governance.found({ policy, previousPolicyId, nonce }, operator, now)
        return founded.ok ? ok({}) : founded
      }
      case 'svc/operator-rebuild-anchors/v1': {
        const rebuilt = await acted.anchorRebuild.run(statement, now)
        return rebuilt.ok ? ok({}) : rebuilt
      }
      case 'svc/operator-roll-log/v1': {
        const rolled = await acted.anchorLogs.roll(statement.log, statement.next, now)
        return rolled.ok ? ok({}) : rolled
      }
      case 'svc/operator-takedown/v1': {
        const isContent = await acted.content.takeDown(statement, { operator, unpinning: acted.pinning, now })
        return isContent ? ok({}) : err({ reason: 'cid_unsupported' })
      }
      case 'svc/withheld/v1':
        return acted.withholding.run({ statement, signatureB64u })
      case 'svc/operator-invite-approve/v1':
        return acted.decisions.approve(statement.inviteId, statement, now)
      case 'svc/operator-invite-decline/v1':
        return acted.decisions.decline(statement.inviteId, statement.mail, now)
      case 'svc/operator-invite-forget/v1':
        return acted.decisions.forget(statement.inviteId, now)
    }
  }
}

/** `not_found` if the act had no target. */
function found(isDone: boolean): Result<object, ActRefusal> {
  return isDone ? ok({}) : err({ reason: 'not_found' })
}
