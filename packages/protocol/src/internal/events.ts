/** What siblings report to the event feed of an owner, over their bindings to core (workers/docs/pages/developer/internal.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { REPORTED_BY } from '../events/events.ts'

/** Per call. */
export const MAX_REPORTS = 16

export const eventReportSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    id: z.string().min(1).max(200).meta({ description: 'The same for every delivery of this report' }),
    kind: z.enum([...REPORTED_BY.keys, ...REPORTED_BY.pay]),
    ref: z.string().min(1).max(128),
  }),
)
export type EventReport = z.infer<typeof eventReportSchema>

/** Whether a sibling may report this: each what happens at it. */
export function mayReport(service: string, { kind }: EventReport): boolean {
  const kinds: readonly string[] = service === 'keys' || service === 'pay' ? REPORTED_BY[service] : []
  return kinds.includes(kind)
}

export const eventReportsSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ events: z.array(eventReportSchema).min(1).max(MAX_REPORTS) }).meta({ id: 'EventReports' }),
)

export const reportsTakenSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ taken: z.literal(true) }).meta({ id: 'ReportsTaken' }),
)
