import type { RecoveryWords } from './en.ts'

export const words: RecoveryWords = {
  title: 'Identität wiederherstellen',
  lead: 'Die Wörter, die Sie aufgeschrieben haben, ersetzen einen verlorenen oder gestohlenen Hauptschlüssel. Ihre DID bleibt dieselbe.',
  file: 'Wiederherstellungsdatei',
  fileHint: 'Sie haben sie heruntergeladen, als Sie die Wörter aufgeschrieben haben, und nach jeder Wiederherstellung.',
  noFile: 'Ich habe die Datei nicht',
  hasFile: 'Ich habe die Datei',
  noFileLead:
    'Ohne die Datei dauert die Wiederherstellung 30 Tage, und jeder Schlüssel Ihrer Identität kann sie aufhalten. Sie bekommen jetzt eine Datei, die Sie dann wieder brauchen.',
  did: 'DID der Identität',
  badDid: 'Geben Sie die DID der Identität ein: Sie beginnt mit „did:svc:“.',
  needsFile: 'Das sind die Wörter eines Schlüssels, der nur zusammen mit seiner Wiederherstellungsdatei wirkt.',
  otherIdentity: 'Diese Wörter gehören nicht zu dieser Identität, oder sie wurden ersetzt.',
  key: 'Wiederherstellungswörter',
  keyHint: 'Die 24 Wörter in ihrer Reihenfolge oder was der QR-Code enthält. Sie bleiben in diesem Browser.',
  begin: 'Wiederherstellung beginnen',
  chooseFile: 'Wählen Sie zuerst die Wiederherstellungsdatei.',
  notRecoveryFile: 'Das ist keine Wiederherstellungsdatei.',
  isBackup:
    'Das ist eine Sicherung mit dem Hauptschlüssel selbst. Wählen Sie „Ich habe eine Sicherungsdatei“ auf der Startseite.',
  wrongCount: 'Es müssen 24 Wörter sein.',
  unknownWord: (position) => `Wort ${position} steht nicht auf der Liste.`,
  wrongWords: 'Die Wörter oder der Code stimmen nicht. Vergleichen Sie sie mit dem, was Sie aufgeschrieben haben.',
  otherKey: 'Diese Wörter gehören nicht zu dieser Wiederherstellungsdatei.',
  rivalTitle: 'Eine andere Anfrage läuft',
  rivalLead:
    'Jemand will mit Wiederherstellungswörtern dieser Identität den Hauptschlüssel ersetzen oder die Identität beenden.',
  rivalMineLead:
    'Wenn Sie das waren, hier oder auf einem anderen Gerät: Machen Sie dort mit denselben Wörtern und derselben Datei weiter.',
  rivalNotMineLead:
    'Wenn Sie es nicht waren, hat jemand Wörter von Ihnen. Fechten Sie die Anfrage an: Sie wird gestoppt oder verzögert, und danach kann nur eines Ihrer Geräte oder der Betreiber entscheiden.',
  rivalMine: 'Das war ich',
  rivalNotMine: 'Das war ich nicht: anfechten',
  standing: 'Ihre Wiederherstellung',
  stages: {
    ready: 'Sie hat noch nicht begonnen.',
    opened: 'Sie ist öffentlich, aber noch nicht bestätigt.',
    waiting: 'Ein Gerät hat sie bestätigt. Der alte Hauptschlüssel kann sie einmal verzögern, aber nicht aufhalten.',
    contested: 'Jemand hat sie mit dem alten Hauptschlüssel verzögert. Ein zweites Mal geht das nicht.',
    due: 'Sie kann jetzt abgeschlossen werden.',
    stopped: 'Sie wurde mit einem Schlüssel Ihrer Identität aufgehalten.',
    blocked: 'Jemand anderes ersetzt den Hauptschlüssel und lässt sich nicht mehr überholen.',
    done: 'Der neue Schlüssel ist der Hauptschlüssel.',
    void: 'Es ist zu spät: Der Hauptschlüssel wurde durch einen anderen ersetzt, oder die Identität ist beendet.',
  },
  waitingByWords:
    'Die Wörter und der alte Hauptschlüssel haben sie unterschrieben. Weder der Hauptschlüssel noch ein Gerät kann sie aufhalten, nur andere Wiederherstellungswörter.',
  waitingAlone: 'Die Wörter haben sie allein beantragt. Bis dahin kann jeder Schlüssel Ihrer Identität sie aufhalten.',
  comeBack: (when) =>
    `Kommen Sie am ${when} wieder, mit der Wiederherstellungsdatei und den Wörtern: Dieser Browser behält beides nicht.`,
  needsDevice:
    'Dieser Browser ist kein Gerät Ihrer Identität. Haben Sie noch eines, dann öffnen Sie diese Seite darauf: Das Gerät bestätigt die Wiederherstellung. Haben Sie keines, muss der Betreiber sie bestätigen.',
  unlockLead:
    'Dieser Browser hat den Schlüssel eines Geräts, und der ist verschlüsselt. Ist es ein Gerät Ihrer Identität, kann es die Wiederherstellung bestätigen.',
  unlock: 'Öffnen und bestätigen',
  otherDevice: 'Dieser Browser ist ein Gerät einer anderen Identität.',
  needsUnlocked:
    'Lässt er sich nicht öffnen und haben Sie kein anderes Gerät, muss der Betreiber die Wiederherstellung bestätigen.',
  needsOperator: 'Keines Ihrer Geräte kann sie bestätigen. Das muss der Betreiber tun.',
  operatorFile: 'Antrag für den Betreiber herunterladen',
  operatorHint:
    'Senden Sie dem Betreiber Ihren Antrag und weisen Sie nach, wer Sie sind. Die Datei enthält nichts Geheimes. Sehen Sie danach hier wieder nach.',
  proceed: 'Noch einmal nachsehen',
  checked: 'Nachgesehen.',
  doneTitle: 'Sie haben Ihre Identität zurück',
  formerText:
    'Dieser Browser hat einen Hauptschlüssel von früher. Entsperren Sie ihn, dann lassen sich Nachrichten und Notizen, die für ihn verschlüsselt wurden, weiterhin öffnen.',
  keepFormer: 'Entsperren und behalten',
  formerLost: 'Wenn Sie ohne ihn fortfahren, wird er in diesem Browser gelöscht.',
  withoutFormer: 'Ohne ihn fortfahren',
  otherRoot:
    'Der Hauptschlüssel in diesem Browser gehört zu einer anderen Identität. Sichern Sie ihn, bevor Sie fortfahren: Der neue Schlüssel tritt an seine Stelle.',
  doneText:
    'Wählen Sie, womit der neue Hauptschlüssel in diesem Browser verschlüsselt wird. Danach erhalten Sie eine neue Wiederherstellungsdatei. Ihre Wörter bleiben dieselben.',
  passkeyName: 'Ihre Identität',
}
