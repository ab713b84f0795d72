import type { VerdictWords } from './en.ts'

type Found = Readonly<Record<string, string | number>>
type Said = (found: Found, at: string) => string

const ok: Record<string, Said> = {
  act: ({ type }) => `Ein Hauptschlüssel dieser Identität hat es als ${type} signiert.`,
  anchor_root: ({ root }) => `Der Eintrag legt ${root} fest.`,
  anchored_file: () => 'Der angegebene Inhalt ist der verankerte.',
  archive: ({ size }) => `Der Export hat alle ${size} Einträge des Logs der Notizen.`,
  audience: ({ audience }) => `Es ist an ${audience} gerichtet.`,
  beacon: ({ log, size, count }) => `${count} Schlüssel haben das Beacon ${log} mit ${size} Blättern signiert.`,
  blocks: ({ count }) =>
    count === 1 ? 'Ein Block, signiert.' : `${count} Blöcke, jeder signiert und mit dem vorigen verbunden.`,
  consent: ({ preferences }) => `Der Urheber hat signiert: ${preferences}.`,
  devices: ({ count }) => `Enthaltene Geräte: ${count}.`,
  document: () => 'Das DID-Dokument führt zum aktuellen Hauptschlüssel.',
  extension: ({ sizes }) => `Jeder Checkpoint enthält alles davor: ${sizes} Einträge.`,
  form: () => 'Es hat die Form einer DID dieser Plattform.',
  hash: ({ hash }) => `SHA3-384 des Inhalts: ${hash}.`,
  head: ({ hash }) => `Der neueste Block hat den Hash ${hash}.`,
  in_log: ({ log, size }, at) => `Es war spätestens am ${at} im Log ${log}, als dieses ${size} Einträge hatte.`,
  manifest: (_, at) => `Der Dienst hat diesen Stand der Notizen am ${at} signiert.`,
  minter: ({ did }) => `Erzeugt und signiert von ${did}.`,
  new_key: ({ epoch }) => `Auch der neue Schlüssel, der Epoche ${epoch}, hat es signiert.`,
  opening: () => 'Inhalt und Salt ergeben diese Festlegung.',
  owner: ({ did }) => `Es gehört der erwarteten Identität: ${did}.`,
  proof: ({ part }) => PARTS[String(part)] ?? `${part}, hier geprüft.`,
  records: ({ versions, attachments }) =>
    `Fassungen von Notizen, jede von einem Schlüssel dieser Identität signiert: ${versions}. Anhänge: ${attachments}.`,
  recovery: () => 'Eine vorbereitete Wiederherstellung ist enthalten.',
  root_key: ({ epoch }) => `Der Hauptschlüssel der Epoche ${epoch} ist enthalten.`,
  root_keys: ({ count }) =>
    count === 1
      ? 'Ein Hauptschlüssel, aus dem die DID gebildet ist.'
      : `${count} Hauptschlüssel, jeder durch den vorigen bewiesen.`,
  same_root: ({ size }) => `Sie zeigen dieselben ${size} Einträge mit derselben Wurzel.`,
  signatures: ({ count }) =>
    count === 1 ? 'Ein Checkpoint, signiert von seinem Log.' : `${count} Checkpoints, jeder signiert von seinem Log.`,
  signed: (_, at) => `Signiert am ${at}, nach der Uhr des Unterzeichners.`,
  statement: ({ type }) => `Ein Dienst hat es als ${type} signiert.`,
  transfers: ({ count }) =>
    count === 0 ? 'Es wurde nie übertragen.' : `Übertragungen, jede vom vorigen Eigentümer signiert: ${count}.`,
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
  act: ({ type }) => `Wer es als ${type} signiert hat, wurde nicht geprüft.`,
  act_key: () => 'Der Schlüssel, der es signiert hat, ist nicht der erste dieser Identität.',
  anchor_status: ({ status }) => `Dass der Status „${status}“ ist, sagt nur der Dienst.`,
  approval: ({ did }) => `${did} stimmt einer Liste von Verantwortlichen zu, die hier fehlt.`,
  archive: () => 'Ob der Export alle Einträge hat, wurde nicht geprüft.',
  audience: ({ audience }) => `Es ist an ${audience} gerichtet.`,
  capsule_key: () => 'Der Schlüssel ist nicht der erste dieser Identität.',
  commitment: (_, at) => `Dass diese Identität sie am ${at} gemacht hat, sagt nur der Dienst.`,
  consent: ({ preferences }) =>
    preferences === undefined ? 'Für diese Adresse ist nichts erklärt.' : `Ohne Signatur erklärt: ${preferences}.`,
  consent_device: () => 'Ein Gerät hat signiert. Dass es für den Urheber handelte, sagt nur der Dienst.',
  device_key: () =>
    'Kein Hauptschlüssel dieser Identität hat signiert. Vielleicht war es ein Gerät; das weiß nur der Dienst.',
  document: () => 'Es wurde kein DID-Dokument gefunden.',
  draft: ({ as }) => DRAFTS[String(as)] ?? String(as),
  extension: ({ sizes }) =>
    `Ob das Log alle Einträge behalten hat (${sizes}), kann nur das Log beweisen. Es wurde nicht gefragt.`,
  gap: ({ gap }) => GAPS[String(gap)] ?? String(gap).replaceAll('_', ' '),
  hash: () => 'Der signierte Inhalt liegt nicht vor.',
  in_log: () => 'Ob es in einem Log steht, wurde nicht geprüft.',
  log_key: () => 'Der Schlüssel des Logs ist hier nicht bekannt.',
  message_key: () => 'Der Schlüssel ist nicht der erste dieser Identität.',
  one_checkpoint: () => 'Es gibt keinen anderen Checkpoint zum Vergleichen.',
  one_log: () => 'Sie stammen aus verschiedenen Logs und wurden nicht verglichen.',
  newest_key: () => 'Ob der letzte Schlüssel später ersetzt wurde, ist einer Datei nicht anzusehen.',
  opening: () => 'Ob Inhalt und Salt diese Festlegung ergeben, wurde nicht geprüft.',
  owner: () => 'Wem es gehört, sagt nur der Nachweis selbst. Geben Sie die erwartete DID ein, um es zu prüfen.',
  proof: ({ part, strength }) =>
    `${(PARTS[String(part)] ?? String(part)).replace(/\.$/, '')}: nach Aussage ${SOURCES[String(strength)] ?? strength}.`,
  record_keys: ({ count }) => `Wer ${count} Fassungen von Notizen signiert hat, ist hier nicht bekannt.`,
  recovery: () => 'Eine Wiederherstellung ist nicht enthalten.',
  registration: () => 'Es wurde keine Registrierung gefunden oder nach keiner gefragt.',
  replaced_key: () => 'Ein Hauptschlüssel wurde ersetzt. Dafür braucht es die Geschichte der Schlüssel.',
  root_key: () => 'Ein Hauptschlüssel ist nicht enthalten.',
  root_keys: () => 'Nach den Hauptschlüsseln wurde nicht gefragt.',
  sealed: ({ as, did, count }) => SEALED[String(as)]?.(String(did), Number(count)) ?? String(as),
  service_key: () => 'Die Schlüssel der Dienste sind hier nicht bekannt.',
  shown_key: () => 'Der Schlüssel ist der, den der Dienst zeigt. Geben Sie unter „Optionen“ einen ein, den Sie kennen.',
  stamp: () => 'Der Beweis ist noch nicht enthalten.',
}
const DRAFTS: Record<string, string> = {
  answers: 'Öffentliche Antworten, die svc verify aufbewahrt hat, um etwas anderes ohne Netz zu prüfen.',
  invitation: 'Eine Einladung in eine Organisation. Niemand hat sie signiert.',
  officers: 'Eine Liste von Verantwortlichen. Niemand hat sie signiert.',
  policy: 'Ein Vorschlag für Regeln. Niemand hat ihn signiert.',
  policy_signature: 'Eine Signatur unter vorgeschlagenen Regeln, die in einer anderen Datei stehen.',
}

const SEALED: Record<string, (did: string, count: number) => string> = {
  age: () => 'Eine mit age verschlüsselte Datei, etwa eine Sicherung von Schlüsseln.',
  inbox: (did, count) => `Verschlüsselte Nachrichten an ${did}: ${count}.`,
  message: (did) => `Eine verschlüsselte Nachricht an ${did}, die noch nicht zugestellt ist.`,
  notes: () => 'Der Text der Notizen ist verschlüsselt; nur ihr Besitzer kann ihn lesen.',
  reply: () => 'Eine verschlüsselte Antwort an den Absender einer Nachricht.',
  secret: () => 'Ein Geheimnis, verschlüsselt mit einem Schlüssel aus der Anmeldung.',
}

const SOURCES: Record<string, string> = {
  authority: 'von Core',
  service: 'des Dienstes',
  claim: 'des Unterzeichners',
  cryptographic: 'einer Signatur',
}

export const words: VerdictWords = {
  verdicts: {
    valid: 'Gültig',
    undecided: 'Unentschieden',
    unknown: 'Nichts bekannt',
    invalid: 'Ungültig',
    failed: 'Nicht geprüft',
  },
  summaries: {
    valid: 'Alles, was diese Art von Nachweis beweisen kann, wurde hier bewiesen.',
    undecided: 'Nichts spricht dagegen. Etwas, das es entscheiden würde, fehlt.',
    unknown: 'Die Form stimmt, und niemand hat es hier registriert oder verankert.',
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
  noLog: 'Kein Log',
  checks: 'Was geprüft wurde',
  notProved: 'Was nicht bewiesen ist',
  allProved: 'Nichts ist offen.',
  reason: (reason, subject) => `Grund: ${reason} (${subject})`,
  malformed: (kind) => `Dies sieht aus wie ein Nachweis der Art „${kind}“ und hat nicht dessen Form.`,
  raw: 'Was geprüft wurde, im Original',
  identity: 'Identität öffnen',
  print: 'Drucken',
  link: 'Link kopieren',
  linkCopied: 'Der Link wurde kopiert. Er enthält den Nachweis selbst.',
  tooBig: 'Für einen Link ist es zu groß.',
  command: 'Dasselbe auf der Kommandozeile',
  again: 'Etwas anderes prüfen',
  similar: 'Kopien suchen',
  similarLead:
    'Registrierte Inhalte, die ähnlich aussehen oder klingen. Nur ein Fingerabdruck verlässt diesen Browser.',
  similarNone: 'Kein registrierter Inhalt ist ähnlich.',
  similarText: (percent) => `${percent} % der Passagen`,
  similarImage: (distance) => `${distance} von 256 Bits sind anders`,
  similarRefused: 'Dafür hat es zu wenig Text oder Einzelheiten.',
  said(check, isOk, found, at) {
    return (isOk ? ok : unchecked)[check]?.(found, at) ?? check
  },
}
