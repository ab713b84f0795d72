/**
 * Documents of other people's software: browsers, authenticators, identity providers, gateways. They gain members and
 * values as they come, so what is read of them is named, and everything else passes. Our own documents are strict.
 *
 * @module
 */
import * as z from 'zod'

/** Its identity marks an object as foreign, in every copy that zod makes of the schema. */
export const FOREIGN_MEMBERS = /* @__PURE__ */ z.unknown()

/** An object that others define. Name only the members that are read, and take every form that they may have. */
export function foreignObject<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape).catchall(FOREIGN_MEMBERS)
}
