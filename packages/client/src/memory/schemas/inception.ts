import { inceptionEventSchema } from '@svc/protocol/devices/inception'
import { logOf } from './log-of.ts'

export const inception = logOf('inception', inceptionEventSchema.nullable(), inceptionEventSchema)
