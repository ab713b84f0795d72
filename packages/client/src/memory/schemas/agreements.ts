import { signedKeyAgreementSchema } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import { accountAnswerSchema } from '#protocol/keys/transparency'
import { logOf, none } from './log-of.ts'

export const agreement = /* @__PURE__ */ pure(() => logOf('agreement', signedKeyAgreementSchema, none))

/** The newest key agreement that the log has proved, with the proof. */
export const account = /* @__PURE__ */ pure(() => logOf('account', accountAnswerSchema, none))
