package message

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// bodies replaces the JSON in which a server has answered, and which a client has put into its
// error as it came, by the code and the sentence in it. Where the text says the same before, the
// JSON is left out:
//
//	RawError: {"error":{"code":"BadRequest","message":"TEXT"}}     Azure (Azure REST guidelines, "Error response")
//	TEXT (0x57) {"Success":false,"Error":"TEXT ","ErrorCode":2}    Windows' network service (microsoft/hcsshim v0.12, hcn)
//	failed (403): {"reason":"Forbidden","message":"TEXT"}          metav1.Status
//
//	b'{"reason":"BadRequest","message":"TEXT"}\n'                  the same as Python prints bytes (Ansible operators)
//
// What is no JSON object, or has no sentence, stays.
func bodies(text string) string {
	if before, python, ok := strings.Cut(text, `b'{"`); ok {
		text = before + strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(`{"`+python, "'"), `\n`), `\\`, `\`)
	}
	for from := 0; ; {
		at := bodyBegins().FindStringIndex(text[from:])
		if at == nil {
			return text
		}
		from += at[0]
		decoder := json.NewDecoder(strings.NewReader(text[from:]))
		var body map[string]any
		if decoder.Decode(&body) != nil {
			from++
			continue
		}
		before, after := text[:from], text[from+int(decoder.InputOffset()):]
		code, sentence := answer(body)
		switch {
		case sentence == "":
			from = len(text) - len(after)
			continue
		case strings.Contains(before, sentence):
			before, code, sentence = strings.TrimRight(before, " "), "", ""
		case code != "":
			sentence = code + ": " + sentence
		}
		from = len(before) + len(sentence)
		text = before + sentence + after
	}
}

var bodyBegins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{ ?"`) })

// answer is the code and the sentence of a server's answer.
func answer(body map[string]any) (code, sentence string) {
	if inner, ok := body["error"].(map[string]any); ok {
		body = inner
	}
	for _, key := range [...]string{"message", "Message", "error_description", "error", "Error", "detail", "msg"} {
		if s, _ := body[key].(string); strings.Contains(s, " ") {
			sentence = strings.TrimSpace(s)
			break
		}
	}
	for _, key := range [...]string{"code", "Code", "reason"} {
		s, _ := body[key].(string)
		code = cmp.Or(code, s)
	}
	// An error that only says that there is one has others below it (Azure REST guidelines,
	// "details").
	if details, _ := body["details"].([]any); len(details) > 0 {
		if inner, ok := details[0].(map[string]any); ok {
			if c, s := answer(inner); s != "" && Weight(s) > Weight(sentence) {
				return c, s
			}
		}
	}
	if !isWord(code) || sentence == "" {
		code = ""
	}
	return code, strings.Join(strings.Fields(sentence), " ")
}

// azureResponse makes a sentence of an error of Azure's SDK, whose lines have been folded: the code
// and what the JSON in it says, or, where the text has quoted that before, nothing
// (azure-sdk-for-go azcore v1.18, internal/exported ResponseError.Error):
//
//	PUT https://management.azure.com/…
//	--------------------------------------------------------------------------------
//	RESPONSE 400: 400 Bad Request
//	ERROR CODE: SkuNotAvailable
//	--------------------------------------------------------------------------------
//	{"code": "SkuNotAvailable", "message": "TEXT"}
//	--------------------------------------------------------------------------------
func azureResponse(text string) string {
	m := azureError().FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	before, code, after := strings.TrimRight(text[:m[0]], " :"), text[m[2]:m[3]], text[m[1]:]
	what, rest, _ := strings.Cut(after, " ------")
	rest = strings.TrimLeft(rest, "-")
	sentence := bodies(what)
	if sentence == what { // no JSON: "Response contained no body", or the message is cut off before it
		sentence = code
		if Weight(before) >= SaysWhy {
			return before
		}
	}
	if said := strings.TrimPrefix(sentence, code+": "); strings.Contains(before, said) {
		return before + rest
	}
	if !strings.HasPrefix(sentence, code) {
		sentence = code + ": " + sentence
	}
	return strings.TrimPrefix(before+": ", ": ") + sentence + rest
}

var azureError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:[A-Z]+ https://\S+ )?-{20,} RESPONSE \d+: [\w ]+ ERROR CODE: (\w+(?: \w+)*) -{20,}(?: |$)`)
})

// azureIDs shortens the IDs of Azure's resources to their types and names: an ID alone is longer
// than a title.
func azureIDs(text string) string { return azureID().ReplaceAllString(text, "$1") }

var azureID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)/subscriptions/[\w.\-]+/resourceGroups/[\w.\-()]+/providers/[\w.\-]+/([\w.\-/]+)`)
})
