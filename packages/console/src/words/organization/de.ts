import type { OrganizationWords } from './en.ts'

export const words: OrganizationWords = {
  title: 'Organisationen',
  lead: 'Eine Organisation ist eine Identität, um die sich mehrere Verantwortliche kümmern. Sie bindet Mitglieder, die ihre Zugehörigkeit beweisen können.',
  mine: 'Sie gehören zu',
  noBindings: 'Keine Organisation hat diese Identität gebunden.',
  expires: (at: string) => `Bis ${at}`,
  roles: { guest: 'Gast', member: 'Mitglied', manager: 'Leitung', admin: 'Verwaltung' },
  statuses: { pending: 'offen', active: 'aktiv', suspended: 'ausgesetzt', expired: 'abgelaufen', revoked: 'beendet' },
  accept: 'Einer Organisation beitreten',
  acceptLead:
    'Geben Sie ein, was die Organisation Ihnen geschickt hat, signieren Sie es, und schicken Sie das Ergebnis zurück.',
  orgDid: 'DID der Organisation',
  provider: 'Identitätsanbieter',
  providerHint: 'Zum Beispiel login.example.com',
  subjectHash: 'Hash der Person',
  subjectHashHint: '96 hexadezimale Zeichen',
  sign: 'Zustimmung signieren',
  acceptance: 'Ihre Zustimmung',
  roster: 'Ihre Organisation',
  noOrganization: 'Diese Identität ist keine Organisation. Gründen Sie eine mit svc org create.',
  rosterLead: (quorum: number, officers: number) =>
    `${quorum} von ${officers} Verantwortlichen bestimmen, wer verantwortlich ist. Die Mitglieder sind in diesem Browser aus dem signierten Log berechnet.`,
  officers: 'Verantwortliche',
  members: 'Mitglieder',
  noMembers: 'Niemand ist gebunden.',
  needsRoot: 'Ändern kann sie nur das Gerät mit dem Hauptschlüssel.',
  acts: { suspend: 'Aussetzen', resume: 'Fortsetzen', revoke: 'Beenden' },
  done: 'Die Änderung steht im Log.',
}
