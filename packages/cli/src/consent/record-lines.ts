import type { Client } from '#client'

export type ConsentRecord = Awaited<ReturnType<Client['consent']['publish']>>

/** What is declared, by whom, and since when. */
export function recordLines({ preferences, creator_did, created_at, updated_at, signed }: ConsentRecord): string[] {
  const since = new Date(created_at).toISOString()
  const changed = created_at === updated_at ? '' : `, changed ${new Date(updated_at).toISOString()}`
  const by = signed?.signer.kind === 'device' ? `a device of ${creator_did}` : creator_did
  return [JSON.stringify(preferences), `Declared by ${by ?? 'nobody who can be asked'} since ${since}${changed}`]
}

/** What a site sends with the content, so that a crawler need not ask. Nothing if nothing has another form. */
export function publishLines({ projections }: Pick<ConsentRecord, 'projections'>): string[] {
  const { content_usage, x_robots_tag, tdm_reservation, content_signal, cawg } = projections
  const headers = [
    ...(content_usage === null ? [] : [`Content-Usage: ${content_usage}`]),
    ...(x_robots_tag === null ? [] : [`X-Robots-Tag: ${x_robots_tag}`]),
    ...(tdm_reservation === null ? [] : [`TDM-Reservation: ${tdm_reservation}`]),
  ]
  const entries = Object.entries(cawg ?? {}).map(([name, { use }]) => `  ${name}: ${use}`)
  return [
    ...(headers.length === 0
      ? []
      : ['', 'HTTP headers to send with the content:', ...headers.map((one) => `  ${one}`)]),
    ...(content_signal === null ? [] : ['Rule for robots.txt:', `  Content-Signal: ${content_signal}`]),
    ...(entries.length === 0
      ? []
      : [
          'Entries for a C2PA manifest (cawg.training-mining):',
          ...entries,
          '  Both follow from ai_training, which includes the training of generative models.',
        ]),
  ]
}
