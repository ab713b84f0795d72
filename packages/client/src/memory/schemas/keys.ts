import { rootKeyEvidenceSchema } from '@svc/protocol/chain/rotation'
import * as z from 'zod'
import { logOf, none } from './log-of.ts'

/** Every root key up to this one. */
export const keys = logOf('keys', z.array(rootKeyEvidenceSchema), none)
