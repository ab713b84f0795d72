import { signedCheckpointSchema } from '@svc/protocol/ledger/anchors'
import { logOf, none } from './log-of.ts'

export const anchors = logOf('anchors', signedCheckpointSchema, none)
