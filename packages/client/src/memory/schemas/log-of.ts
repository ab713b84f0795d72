import * as z from 'zod'
import { hashSchema } from '#protocol/base/hash'
import { pure } from '#protocol/base/pure'

const place = /* @__PURE__ */ pure(() => ({ position: z.int().min(0), hash: hashSchema }))
export const placeSchema = /* @__PURE__ */ z.strictObject(place)
/** Nothing is sent to this log. */
export const none = /* @__PURE__ */ z.null()

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
