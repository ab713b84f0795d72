import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { labelProofSchema } from '#protocol/keys/account-updates'
import { logOf, none } from './log-of.ts'

/** The label of an account, which is verified again before it is used. */
export const label = /* @__PURE__ */ pure(() =>
  logOf('label', z.strictObject({ labelProofB64u: labelProofSchema }), none),
)
