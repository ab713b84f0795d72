import { TextError, textOf } from '@svc/client/text'

/** The text of a file that somebody chose. Throws a `TextError` for a file that is not a text. */
export async function textIn(file: Blob): Promise<string> {
  return textOf(new Uint8Array(await file.arrayBuffer()))
}

/** The JSON in a file that somebody chose; null if it is not JSON. */
export async function jsonIn(file: Blob): Promise<unknown> {
  try {
    return JSON.parse(await textIn(file))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TextError) return null
    throw error
  }
}
