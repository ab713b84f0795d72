import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { rootKeyEvidenceSchema } from '#protocol/chain/rotation'
import { logOf, none } from './log-of.ts'

/** Every root key up to this one. */
export const keys = /* @__PURE__ */ pure(() => logOf('keys', z.array(rootKeyEvidenceSchema), none))
