import { orgEventSchema } from '@svc/protocol/did/org-bindings'
import { logOf } from './log-of.ts'

export const organization = logOf('organization', orgEventSchema.nullable(), orgEventSchema)
