import { pure } from '../../base/pure.ts'
import { FIVE_MINUTES, type StatementRule, type StatementRules } from './rule.ts'

const OPERATOR = 'the operator key of the deployment'

const act = (subject: readonly string[], verifier: string): StatementRule => ({
  signer: OPERATOR,
  subject: ['service', ...subject],
  verifier,
  replay: { kind: 'nonce', members: ['nonce'] },
  expires: FIVE_MINUTES,
})

/** What the operator of a deployment signs. */
export const OPERATOR_RULES = /* @__PURE__ */ pure(
  () =>
    ({
      'svc/operator-chain-reindex/v1': act(['did'], 'core'),
      'svc/operator-rebuild-anchors/v1': act(['log', 'from', 'to'], 'core'),
      'svc/operator-rebuild-objects/v1': act(
        ['objects', 'name', 'after', 'replaces', 'lostAt'],
        'the service that records the objects',
      ),
      'svc/operator-roll-log/v1': act(['log', 'next'], 'core or the key directory'),
      'svc/operator-rotation-approve/v1': act(['did', 'rotationId'], 'core'),
      'svc/operator-governance-policy/v1': act(['policy', 'previousPolicyId'], 'core'),
      'svc/operator-epoch/v1': act(['epoch'], 'the key directory'),
      'svc/operator-epoch-withdraw/v1': act(['epoch'], 'the key directory'),
      'svc/operator-entitlement-code/v1': act(['codeHash'], 'pay'),
      'svc/operator-entitlement-code-withdraw/v1': act(['codeHash'], 'pay'),
      'svc/operator-licence/v1': act(['did', 'source'], 'pay'),
      'svc/operator-grant-end/v1': act(['grantId'], 'pay'),
      'svc/operator-dead-letter/v1': act(['eventId', 'action'], 'pay'),
      'svc/operator-dead-letters/v1': act(['after'], 'pay, `POST /api/operator/dead-letters`'),
      'svc/operator-reindex/v1': act(['index', 'after'], 'provenance'),
      'svc/operator-takedown/v1': act(['subject'], 'core or provenance'),
      'svc/withheld/v1': act(['leaf', 'ground', 'day'], 'core'),
      'svc/operator-takedowns/v1': act(['after'], 'core or provenance, `POST /api/operator/takedowns`'),
      'svc/operator-texts/v1': act(['assetId', 'after'], 'provenance, `POST /api/operator/texts`'),
      'svc/operator-grants/v1': act(['did'], 'pay, `POST /api/operator/grants`'),
      'svc/operator-invite-approve/v1': act(['inviteId'], 'core'),
      'svc/operator-invite-decline/v1': act(['inviteId'], 'core'),
      'svc/operator-invite-forget/v1': act(['inviteId'], 'core'),
      'svc/operator-import-commitments/v1': act(['commitments'], 'provenance'),
      'svc/operator-import-consent/v1': act(['records'], 'consent'),
      'svc/operator-invites/v1': act(['after'], 'core, `POST /api/operator/invites`'),
      'svc/operator-consent-settle/v1': act(['contentHash', 'creatorDid'], 'consent'),
      'svc/operator-disputes/v1': act(['after'], 'consent, `POST /api/operator/disputes`'),
    }) satisfies StatementRules,
)
