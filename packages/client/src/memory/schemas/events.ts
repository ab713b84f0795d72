import { signedEventPageSchema } from '@svc/protocol/events/events'
import { logOf, none } from './log-of.ts'

export const events = logOf('events', signedEventPageSchema, none)
