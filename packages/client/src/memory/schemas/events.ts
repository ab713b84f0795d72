import { signedEventPageSchema } from '#protocol/events/events'
import { logOf, none } from './log-of.ts'

export const events = /* @__PURE__ */ logOf('events', signedEventPageSchema, none)
