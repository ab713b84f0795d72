import { signedDirectoryCheckpointSchema } from '#protocol/keys/transparency'
import { logOf, none } from './log-of.ts'

export const transparency = /* @__PURE__ */ logOf('transparency', signedDirectoryCheckpointSchema, none)
