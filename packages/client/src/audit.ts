/**
 * Following the public logs, without an identity.
 *
 * @module
 */
export { type CosignOptions, cosign, cosignAnchors } from './keys/cosign.ts'
export { type AuditReport, type AuditState, auditStateSchema, LogAuditor, type Verifies } from './keys/log-auditor.ts'
export { Transparency, type TransparencyOptions } from './keys/transparency.ts'
export type { AccountNews, WatchOptions } from './keys/watch-account.ts'
export { AnchorAuditor, type AnchorAuditState, anchorAuditStateSchema } from './ledger/anchor-auditor.ts'
export { TrustedLogs, type TrustedLogsOptions } from './logs/trusted-logs.ts'
