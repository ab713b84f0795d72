import { signedCheckpointSchema } from '#protocol/ledger/anchors'
import { logOf, none } from './log-of.ts'

export const anchors = /* @__PURE__ */ logOf('anchors', signedCheckpointSchema, none)
