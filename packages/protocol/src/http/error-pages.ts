/**
 * Where the documentation explains an error. Apart from the table of errors, so that an SDK loads this without it.
 *
 * @module
 */

/** The anchor of an error on the page of errors: its name, as far as an address can have it. */
export const errorAnchor = (name: string): string =>
  /^\w+$/.test(name) ? name : name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** The path of that entry on a documentation host, `/developer/errors#stale_head`; of `unknown`, the page. */
export const errorPath = (name: string): string =>
  name === 'unknown' ? '/developer/errors' : `/developer/errors#${errorAnchor(name)}`
