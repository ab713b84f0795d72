import { pure } from '#protocol/base/pure'
import { orgEventSchema } from '#protocol/did/org-bindings'
import { logOf } from './log-of.ts'

export const organization = /* @__PURE__ */ pure(() => logOf('organization', orgEventSchema.nullable(), orgEventSchema))
