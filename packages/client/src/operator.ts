/**
 * For the operator of a deployment: what only the operator's key can read and decide.
 *
 * @module
 */

export { SETTLEMENT_REASONS } from '#protocol/consent/settlement'
export { GRANT_END_REASONS } from '#protocol/operator/acts'
export type { DeadLetter } from '#protocol/operator/dead-letters'
export type { Invite } from '#protocol/operator/invites'
export type { Dispute, GrantList, OperatorTakedown } from '#protocol/operator/reads'
export { TAKEDOWN_REASONS, type TakedownSubject } from '#protocol/operator/takedown'
export { TIERS, type Tier } from '#protocol/pay/tiers'
export { codeWithdrawal, type NewCode, newCode, type OperatorAct, signOperatorAct } from './operator/act.ts'
export { type CodeTerms, Operator, type OperatorOptions, type ServiceHealth } from './operator/operator.ts'
export { exportOperatorKey, importOperatorKey, type OperatorKey, operatorKeyOf } from './operator/operator-key.ts'
