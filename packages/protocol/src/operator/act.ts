/**
 * What every operator act has in common: the service that takes it, and a nonce.
 *
 * @module
 */
import * as z from 'zod'
import { type StatementType, statementNonceSchema, statementSchema } from '../base/statement.ts'
import { type ActDates, dateFaults } from './dates.ts'

/** Every service that takes operator acts. */
export const ACT_SERVICES = ['core', 'keys', 'pay', 'provenance', 'consent', 'did'] as const
export type ActService = (typeof ACT_SERVICES)[number]

/** An act is for one service: another one refuses it even if it knows the type. `dates` has the rule of each date in it. */
export function actSchema<T extends StatementType, N extends ActService, S extends z.core.$ZodLooseShape>(
  type: T,
  service: N,
  shape: S,
  dates: ActDates = {},
) {
  const schema = statementSchema(type, {
    service: z.literal(service).meta({ description: 'The service that takes the act' }),
    nonce: statementNonceSchema,
    ...shape,
  })
  return schema.superRefine((act, context) => {
    for (const { path, message } of dateFaults(act, dates)) context.addIssue({ code: 'custom', path, message })
  })
}
