import type * as z from 'zod'

/** One possible answer of a route, for the document and the tests. */
export interface DeclaredAnswer {
  readonly status: number
  readonly description: string
  readonly contentType: string
  /** Absent if the body is not JSON. */
  readonly schema?: z.ZodType
  readonly headers?: AnswerHeaders
  /** Of an error, its first body. Examples of other answers are recorded. */
  readonly example?: unknown
}

/** The content type of an answer that never has a body. */
export const NO_CONTENT = ''

/** Headers that an answer may have besides those of every answer: what each says, by its name. */
export type AnswerHeaders = Readonly<Record<string, string>>

interface Answer {
  /** 101 opens a WebSocket, and 302 is for redirecting browsers. */
  readonly status: 101 | 200 | 201 | 302
  readonly description: string
  readonly headers?: AnswerHeaders
}

/** JSON by schema, in the service's envelope unless `bare`; or a response that the handler creates itself. */
export type OperationAnswer =
  | (Answer & { readonly schema: z.ZodType; readonly bare?: boolean; readonly contentType?: undefined })
  | (Answer & { readonly contentType: string; readonly schema?: undefined })
