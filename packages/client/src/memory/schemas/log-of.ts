import { hashSchema } from '@svc/protocol/base/hash'
import * as z from 'zod'

const place = { position: z.int().min(0), hash: hashSchema }
export const placeSchema = z.strictObject(place)
/** Nothing is sent to this log. */
export const none = z.null()

/** A place with what is kept of it. */
export const pieceOf = <M extends z.core.$ZodLooseShape>(members: M) => z.strictObject({ ...place, ...members })

/** `pending`: what was signed for the next place and has no answer yet. */
export const logOf = <K extends string, S extends z.ZodType, P extends z.ZodType>(kind: K, signed: S, pending: P) =>
  z.strictObject({
    kind: z.literal(kind),
    of: z.string(),
    /** Ascending. More than one only until the service has proved that the last extends the others. */
    pieces: z.array(z.strictObject({ ...place, signed })),
    pending: pending.nullable(),
  })
