/**
 * How examples of bodies are recorded (`examples.json` of each Worker).
 *
 * @module
 */

/** By operation, then by body. */
export type RecordedExamples = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** `request`, or the status of an answer, with its media type unless that is JSON. */
export type BodyName = 'request' | `${number}` | `${number} ${string}`

export const answerName = (status: number | string, contentType: string): BodyName =>
  contentType === 'application/json' ? `${Number(status)}` : `${Number(status)} ${contentType}`
