/**
 * Identifiers whose form is part of the interface: in a path, a value of another form is a malformed request, 400. Every
 * other identifier is a name: a path that names nothing is 404, whatever it looks like, so records of an earlier system
 * can have ids of another form.
 *
 * @module
 */
import * as z from 'zod'

export const forms = /* @__PURE__ */ z.registry<{ readonly isPublished: true }>()

/** Also true for a schema that only describes such an identifier anew. */
export function hasPublishedForm(schema: z.ZodType): boolean {
  return forms.get(schema)?.isPublished === true
}
