import { pure } from '#protocol/base/pure'
import { inceptionEventSchema } from '#protocol/devices/inception'
import { logOf } from './log-of.ts'

export const inception = /* @__PURE__ */ pure(() =>
  logOf('inception', inceptionEventSchema.nullable(), inceptionEventSchema),
)
