import { signedKeyAgreementSchema } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import { logOf, none } from './log-of.ts'

export const agreement = /* @__PURE__ */ pure(() => logOf('agreement', signedKeyAgreementSchema, none))
