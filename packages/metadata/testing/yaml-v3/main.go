// Reads texts as Hasura's CLI does: each line of the input is one in JSON, and each line of the output its value or the reason of a refusal.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"gopkg.in/yaml.v3"
)

type verdict struct {
	Value  any    `json:"value"`
	Reason string `json:"reason,omitempty"`
	// A key that is no text, such as 1 or null.
	OtherKey bool `json:"otherKey,omitempty"`
}

func jsonOf(value any) any {
	switch each := value.(type) {
	case map[string]any:
		for key, item := range each {
			each[key] = jsonOf(item)
		}
	case []any:
		for index, item := range each {
			each[index] = jsonOf(item)
		}
	case map[any]any:
		found := map[string]any{}
		for key, item := range each {
			found[fmt.Sprint(key)] = jsonOf(item)
		}
		return found
	}
	return value
}

func hasOtherKey(node *yaml.Node) bool {
	for index, each := range node.Content {
		isKey := node.Kind == yaml.MappingNode && index%2 == 0
		if (isKey && each.ShortTag() != "!!str" && each.ShortTag() != "!!merge") || hasOtherKey(each) {
			return true
		}
	}
	return false
}

func verdictOf(text string) []byte {
	var found verdict
	err := yaml.Unmarshal([]byte(text), &found.Value)
	if err == nil {
		found.Value = jsonOf(found.Value)
		var node yaml.Node
		_ = yaml.Unmarshal([]byte(text), &node)
		found.OtherKey = hasOtherKey(&node)
		var line []byte
		if line, err = json.Marshal(found); err == nil {
			return line
		}
	}
	line, _ := json.Marshal(verdict{Reason: err.Error()})
	return line
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			panic(err)
		}
		fmt.Println(string(verdictOf(text)))
	}
}
