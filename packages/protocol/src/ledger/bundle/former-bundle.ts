/**
 * The v1 format of bundles, without cosignatures. It can only be upgraded: its time is only the log's claim.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../../base/pure.ts'
import type { Realms } from '../../base/realm.ts'
import { ok, type Result } from '../../base/result.ts'
import { nonceSchema } from '../blind-root.ts'
import { FORMER_BUNDLE, loggedShape } from './anchor-bundle.ts'
import { type LoggedFault, type LogTrust, verifyLogged } from './verify-bundle.ts'

export const formerBundleSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ format: z.literal(FORMER_BUNDLE), ...loggedShape, nonceB64u: nonceSchema.optional() }),
)
export type FormerBundle = z.infer<typeof formerBundleSchema>

export async function verifyFormerBundle(
  bundle: FormerBundle,
  trust: LogTrust,
  realms: Realms,
): Promise<Result<void, LoggedFault>> {
  const logged = await verifyLogged(bundle, trust, realms)
  return logged.ok ? ok(undefined) : logged
}
