import type { VerdictWords } from './en.ts'

type Found = Readonly<Record<string, string | number>>
type Said = (found: Found, at: string) => string

const ok: Record<string, Said> = {
  activation: () => 'Jeder Wechsel wurde wirksam: Er steht im Log des Schlüsselverzeichnisses.',
  anchor_root: ({ root }) => `Der Eintrag legt ${root} fest.`,
  anchored_file: () => 'Der angegebene Inhalt ist der verankerte.',
  blocks: ({ count }) =>
    count === 1 ? 'Ein Block, signiert.' : `${count} Blöcke, jeder signiert und mit dem vorigen verbunden.`,
  cosigned: ({ count }, at) =>
    count === 1
      ? `Einer der Zeugen, die die Installation vorschlägt, hatte es spätestens am ${at} gesehen.`
      : `${count} der Zeugen, die die Installation vorschlägt, hatten es spätestens am ${at} gesehen.`,
  document: () => 'Das DID-Dokument führt zum aktuellen Hauptschlüssel.',
  extension: ({ sizes }) => `Jeder Checkpoint enthält alles davor: ${sizes} Einträge.`,
  form: () => 'Es hat die Form einer DID dieser Plattform.',
  hash: ({ hash }) => `SHA3-384 des Inhalts: ${hash}.`,
  head: ({ hash }) => `Der neueste Block hat den Hash ${hash}.`,
  in_log: ({ log, size }, at) => `Es war spätestens am ${at} im Log ${log}, als dieses ${size} Einträge hatte.`,
  owner: ({ did }) => `Es gehört der erwarteten Identität: ${did}.`,
  proof: ({ part }) => PARTS[String(part)] ?? `${part}, hier geprüft.`,
  root_keys: ({ count }) =>
    count === 1
      ? 'Ein Hauptschlüssel, aus dem die DID gebildet ist.'
      : `${count} Hauptschlüssel, jeder durch den vorigen bewiesen.`,
  signatures: ({ count }) =>
    count === 1 ? 'Ein Checkpoint, signiert von seinem Log.' : `${count} Checkpoints, jeder signiert von seinem Log.`,
  same_hash: () => 'Von diesem Hash handelt der Nachweis.',
  signed_content: () => 'Der Inhalt ist der, der signiert wurde.',
  signed: (_, at) => `Signiert am ${at}, nach der Uhr des Unterzeichners.`,
}

const PARTS: Record<string, string> = {
  capsule_signature: 'Die Signatur passt zur Kapsel und ihrem Schlüssel.',
  capsule_hash: 'Der Hash der Kapsel stimmt.',
  content_hash: 'Der Inhalt ist Byte für Byte der registrierte.',
  key_of_did: 'Der Schlüssel gehört zur Identität.',
  chain_block: 'Ein signierter Block der Kette enthält es.',
  registration: 'Die Registrierung.',
  key_status: 'Der Zustand des Schlüssels.',
  media_facts: 'Art und Größe des Inhalts.',
}

const GAPS: Record<string, string> = {
  no_ledger_anchor: 'Kein Log beweist, bis wann es registriert war.',
  no_trusted_time: 'Die Zeit stammt von der Uhr des Unterzeichners.',
  content_not_seen: 'Der Dienst hat den Inhalt nicht gesehen.',
  no_chain_binding: 'Kein Block der Kette enthält es.',
  key_by_authority: 'Dass der Schlüssel zur Identität gehört, sagt nur der Dienst.',
  key_not_current: 'Der Schlüssel wurde inzwischen ersetzt.',
  key_status_unavailable: 'Ob der Schlüssel in Kraft war, ist nicht bekannt.',
  competing_claims: 'Andere haben denselben Inhalt registriert.',
  earlier_claim: 'Jemand anderes hat denselben Inhalt früher registriert.',
}

const unchecked: Record<string, Said> = {
  anchor_status: ({ status }) => `Dass der Status „${status}“ ist, sagt nur der Dienst.`,
  cosigned: ({ count }, at) =>
    `Dass es vom ${at} ist, sagt nur das Log selbst. ${
      count === 0
        ? 'Kein Zeuge hat es mitsigniert.'
        : 'Zeugen haben es mitsigniert, aber weniger als nötig von denen, die die Installation vorschlägt.'
    }`,
  document: () => 'Es wurde kein DID-Dokument gefunden.',
  extension: ({ sizes }) =>
    `Ob das Log alle Einträge behalten hat (${sizes}), kann nur das Log beweisen. Es wurde nicht gefragt.`,
  file: () => 'Der Inhalt, von dem er handelt, wurde nicht verglichen. Wählen Sie ihn unter Optionen.',
  other_file: () =>
    'Der Inhalt, den Sie angegeben haben, wurde mit nichts verglichen: Dieser Nachweis handelt nicht von einer Datei.',
  former: () => 'Es hat die erste Form von Nachweisen, die vor einem Upgrade nichts beweist.',
  gap: ({ gap }) => GAPS[String(gap)] ?? String(gap).replaceAll('_', ' '),
  hash: () => 'Der signierte Inhalt liegt nicht vor.',
  in_log: () => 'Ob es in einem Log steht, wurde nicht geprüft.',
  log_key: () => 'Der Schlüssel des Logs ist hier nicht bekannt.',
  owner: () => 'Wem es gehört, sagt nur der Nachweis selbst. Geben Sie die erwartete DID ein, um es zu prüfen.',
  proof: ({ part, strength }) =>
    `${(PARTS[String(part)] ?? String(part)).replace(/\.$/, '')}: nach Aussage ${SOURCES[String(strength)] ?? strength}.`,
  registration: () => 'Es wurde keine Registrierung gefunden oder nach keiner gefragt.',
  replaced_key: () => 'Ein Hauptschlüssel wurde ersetzt. Dafür braucht es die Geschichte der Schlüssel.',
  root_keys: () => 'Nach den Hauptschlüsseln wurde nicht gefragt.',
}
const SOURCES: Record<string, string> = {
  authority: 'von Core',
  service: 'des Dienstes',
  claim: 'des Unterzeichners',
  cryptographic: 'einer Signatur',
}

export const words: VerdictWords = {
  locked: {
    lead: 'Dies ist ein verschlüsselter Export von Schlüsseln. Er wird nur in diesem Browser geöffnet; nichts davon wird behalten.',
    passphrase: 'Passphrase des Exports',
    open: 'Öffnen',
  },
  verdicts: {
    valid: 'Gültig',
    undecided: 'Unentschieden',
    unknown: 'Nichts bekannt',
    invalid: 'Ungültig',
    failed: 'Nicht geprüft',
  },
  summaries: {
    valid: 'Was Sie haben, wurde verglichen, und alles, was diese Art von Nachweis beweisen kann, wurde hier bewiesen.',
    undecided: 'Nichts spricht dagegen. Etwas, das es entscheiden würde, fehlt.',
    unknown: 'Es gibt keinen öffentlichen Eintrag. Ein Nachweis kann trotzdem existieren: Fragen Sie danach.',
    invalid: 'Verlassen Sie sich nicht darauf. Bitten Sie um ein anderes Exemplar.',
    failed: 'Die Prüfung war nicht möglich.',
  },
  kinds: {
    did: 'Identität',
    hash: 'Hash',
    page: 'Seite',
    chain: 'Kette',
    keys: 'Schlüsselgeschichte',
    anchor: 'Anker',
    stamp: 'unfertiger Anker',
    proof: 'Registrierung',
    capsule: 'Kapsel',
    commitment: 'Festlegung',
    asset: 'Asset',
    message: 'Nachricht',
    checkpoints: 'Checkpoints',
    receipt: 'Quittung',
    export: 'Schlüsselexport',
    notes: 'Export von Notizen',
    sealed: 'verschlüsselte Datei',
    statement: 'signierte Erklärung',
    draft: 'Teil eines Vorgangs',
    beacon: 'Beacon',
    content: 'Inhalt',
  },
  needs: {
    did: 'Geben Sie unter „Optionen“ die DID ein, der es gehören muss.',
    realm: 'Für welche Installation es gelten muss, ist nicht bekannt. Verbinden Sie sich und prüfen Sie noch einmal.',
    file: 'Wählen Sie unter „Optionen“ den Inhalt, um den es geht.',
    network: 'Erlauben Sie der Prüfung, die Dienste zu fragen.',
    key_history: 'Erlauben Sie der Prüfung, die Dienste nach der Geschichte der Schlüssel zu fragen.',
    log_key:
      'Erlauben Sie der Prüfung, die Dienste zu fragen, oder geben Sie unter „Optionen“ den Schlüssel des Logs ein.',
    service_key: 'Erlauben Sie der Prüfung, die Dienste nach ihren Schlüsseln zu fragen.',
    owner: 'Nur wer den Schlüssel hat, kann sie öffnen. Ohne ihn lässt sich darin nichts prüfen.',
    whole: 'Verwenden Sie es dort, wofür es gedacht ist. Was daraus entsteht, lässt sich prüfen.',
    upgrade: 'Vervollständigen Sie ihn mit svc anchor upgrade und prüfen Sie das Ergebnis.',
    no_file: 'Entfernen Sie den Inhalt unter Optionen: Dieser Nachweis handelt nicht von einer Datei.',
  },
  who: 'Wer',
  what: 'Was',
  when: 'Seit wann',
  where: 'Welches Log',
  nobody: 'Niemand genannt',
  noSubject: 'Kein einzelner Inhalt',
  noTime: 'Keine Zeit bewiesen',
  byClock: (at) => `${at}, nach der Uhr des Unterzeichners`,
  byLog: (at) => `spätestens ${at}`,
  byWitnesses: (at) => `spätestens ${at}, nach Angabe von Zeugen`,
  byLogAlone: (at) => `${at}, nach Angabe nur des Logs`,
  noLog: 'Kein Log',
  checks: 'Was geprüft wurde',
  notProved: 'Was nicht bewiesen ist',
  notCompared: 'der Inhalt wurde nicht verglichen',
  allProved: 'Nichts ist offen.',
  reason: (reason, subject) => `Grund: ${reason} (${subject})`,
  fingerprint: (fingerprint) =>
    `Schlüssel der Installation stammen von der Liste, deren Unterzeichner den Fingerabdruck ${fingerprint} haben. Vergleichen Sie ihn mit dem, was der Betreiber anderswo veröffentlicht.`,
  malformed: (kind) => `Dies sieht aus wie ein Nachweis der Art „${kind}“ und hat nicht dessen Form.`,
  raw: 'Was geprüft wurde, im Original',
  identity: 'Identität öffnen',
  print: 'Drucken',
  link: 'Link kopieren',
  linkCopied: 'Der Link wurde kopiert. Er enthält den Nachweis selbst.',
  tooBig: 'Für einen Link ist es zu groß.',
  command: 'Dasselbe auf der Kommandozeile',
  again: 'Etwas anderes prüfen',
  said(check, isOk, found, at) {
    return (isOk ? ok : unchecked)[check]?.(found, at)
  },
}
