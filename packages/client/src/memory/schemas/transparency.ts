import { signedDirectoryCheckpointSchema } from '@svc/protocol/keys/transparency'
import { logOf, none } from './log-of.ts'

export const transparency = logOf('transparency', signedDirectoryCheckpointSchema, none)
